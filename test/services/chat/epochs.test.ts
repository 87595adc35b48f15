import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { direct } from '../../../src/contract/chat/direct.ts';
import { epochs } from '../../../src/contract/chat/epochs.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { search } from '../../../src/contract/chat/search.ts';
import { bothEngines } from '../../support/stores.ts';
import { done, refused, sendDirect } from './chat-scene.ts';
import { openClients } from './client-scene.ts';

const ids = (...who: readonly { readonly memberId: string }[]) => who.map(({ memberId }) => memberId).toSorted();

describe.each(bothEngines)('conversations that only members can read, on %s', (engine) => {
  it('have keys of their members, who come and go with the next one', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const garden = await scene.group([ann, bob, cleo]);
    const conversationId = garden.id;
    const sent = await done(house, groups.sendToGroup, ann, { conversationId, ...scene.seal(ann, garden, 'First') });
    expect(sent).toMatchObject({ content: null, epoch: 1, seq: 1, senderId: ann.memberId });
    const own = await done(house, places.groupKeys, cleo, { conversationId });
    expect(own).toMatchObject({ mode: 'client', epoch: 1, oldestEpoch: 1, closed: false });
    const [read] = (await done(house, messages.groupMessages, cleo, { conversationId })).items;
    expect(scene.open(scene.unwrap(cleo, conversationId, own.keys[0]!), conversationId, read!)).toBe('First');
    const [listed] = (await done(house, groups.listGroups, bob, {})).items;
    expect(listed).toMatchObject({ mode: 'client', lastMessagePreview: null, unread: 1 });

    const old = scene.seal(bob, garden, 'Late');
    const next = scene.makeKey(ann, conversationId, [ann, bob], garden.key.sent);
    const kick = { conversationId, memberId: cleo.memberId, epoch: next.sent };
    await done(house, moderation.groupKick, ann, kick);
    garden.key = next;
    expect(await refused(house, groups.sendToGroup, bob, { conversationId, ...old })).toBe('409 EPOCH_CHANGED');
    await done(house, groups.sendToGroup, bob, { conversationId, ...scene.seal(bob, garden, 'Second') });
    const list = await done(house, epochs.groupEpochs, bob, { conversationId });
    expect(list).toMatchObject({
      epoch: 2,
      closed: false,
      epochs: [
        { epoch: 1, authorId: ann.memberId, memberIds: ids(ann, bob, cleo), previousKeyId: null, reason: 'created' },
        { epoch: 2, memberIds: ids(ann, bob), previousKeyId: list.epochs[0]!.keyId, reason: 'member_removed' },
      ],
    });

    const third = scene.makeKey(ann, conversationId, [ann, bob, cleo], next.sent);
    await done(house, members.groupAddMembers, ann, {
      conversationId,
      memberIds: [cleo.memberId],
      epoch: third.sent,
    });
    garden.key = third;
    const back = await done(house, places.groupKeys, cleo, { conversationId });
    expect(back).toMatchObject({ oldestEpoch: 3, keys: [{ epoch: 3 }] });
    expect((await done(house, epochs.groupEpochs, cleo, { conversationId })).epochs).toMatchObject([{ epoch: 3 }]);
  });

  it('are closed when somebody goes without it, until a member makes it', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const garden = await scene.group([ann, bob, cleo]);
    const conversationId = garden.id;
    await done(house, members.groupLeave, cleo, { conversationId });
    const closed = { conversationId, ...scene.seal(bob, garden, 'Anybody?') };
    expect(await refused(house, groups.sendToGroup, bob, closed)).toBe('409 EPOCH_CLOSED');
    expect(await done(house, epochs.groupEpochs, bob, { conversationId })).toMatchObject({ epoch: 1, closed: true });
    const still = scene.makeKey(bob, conversationId, [ann, bob, cleo], garden.key.sent);
    expect(await refused(house, epochs.groupBeginEpoch, bob, { conversationId, ...still.sent })).toBe(
      '409 EPOCH_CHANGED',
    );
    const next = scene.makeKey(bob, conversationId, [ann, bob], garden.key.sent);
    const input = { conversationId, ...next.sent };
    const made = await done(house, epochs.groupBeginEpoch, bob, input);
    expect(made).toEqual({ conversationId, epoch: 2 });
    expect(await done(house, epochs.groupBeginEpoch, bob, input)).toEqual(made);
    garden.key = next;
    await done(house, groups.sendToGroup, ann, { conversationId, ...scene.seal(ann, garden, 'Yes') });
    await done(house, moderation.groupBan, ann, { conversationId, memberId: bob.memberId });
    const alone = { conversationId, ...scene.seal(ann, garden, 'Alone') };
    expect(await refused(house, groups.sendToGroup, ann, alone)).toBe('409 EPOCH_CLOSED');
  });

  it('are closed when somebody who has the key is suspended, who waits for it when they are back', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const garden = await scene.group([ann, bob, cleo]);
    const other = await scene.group([ann, bob]);
    const conversationId = garden.id;
    await scene.suspend(cleo);
    const closed = { conversationId, ...scene.seal(bob, garden, 'Anybody?') };
    expect(await refused(house, groups.sendToGroup, bob, closed)).toBe('409 EPOCH_CLOSED');
    await done(house, groups.sendToGroup, bob, { conversationId: other.id, ...scene.seal(bob, other, 'Still') });
    const next = scene.makeKey(bob, conversationId, [ann, bob], garden.key.sent);
    await done(house, epochs.groupBeginEpoch, bob, { conversationId, ...next.sent });
    const listed = (await done(house, members.groupMembers, ann, { conversationId })).items;
    expect(listed.filter(({ hasKey }) => hasKey !== true).map(({ memberId }) => memberId)).toEqual([cleo.memberId]);
  });

  it('let somebody wait who comes by themselves, until a member gives them the key', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = scene.newId();
    const first = scene.makeKey(ann, conversationId, [ann]);
    const about = { name: 'garden', visibility: 'public', mode: 'client', conversationId, epoch: first.sent } as const;
    const made = await done(house, channels.createChannel, ann, about);
    expect(made).toMatchObject({ mode: 'client', historyVisibleToNewMembers: false });
    const garden = { id: conversationId, key: first };
    await done(house, channels.joinChannel, bob, { conversationId });
    await done(house, channels.joinChannel, cleo, { conversationId });
    await done(house, channels.sendToChannel, ann, { conversationId, ...scene.seal(ann, garden, 'Before') });
    const listed = (await done(house, members.channelMembers, ann, { conversationId })).items;
    expect(listed.map(({ memberId, hasKey }) => [memberId, hasKey])).toEqual(
      ids(ann, bob, cleo).map((id) => [id, id === ann.memberId]),
    );
    expect(await done(house, places.channelKeys, bob, { conversationId })).toMatchObject({
      keys: [],
      oldestEpoch: null,
    });
    expect((await done(house, epochs.channelEpochs, bob, { conversationId })).epochs).toEqual([]);
    const own = scene.makeKey(bob, conversationId, [ann, bob], first.sent);
    expect(await refused(house, epochs.channelBeginEpoch, bob, { conversationId, ...own.sent })).toBe('403 FORBIDDEN');
    const next = scene.makeKey(ann, conversationId, [ann, bob], first.sent);
    await done(house, epochs.channelBeginEpoch, ann, { conversationId, ...next.sent });
    garden.key = next;
    expect(await done(house, places.channelKeys, bob, { conversationId })).toMatchObject({ oldestEpoch: 2 });
    await done(house, channels.sendToChannel, bob, { conversationId, ...scene.seal(bob, garden, 'Here') });
    const more = scene.makeKey(bob, conversationId, [ann, bob, cleo], next.sent);
    expect(await refused(house, epochs.channelBeginEpoch, bob, { conversationId, ...more.sent })).toBe('403 FORBIDDEN');
    // Whoever waits has no key, so nothing is closed when they go.
    await done(house, moderation.channelKick, ann, { conversationId, memberId: cleo.memberId });
    await done(house, channels.sendToChannel, bob, { conversationId, ...scene.seal(bob, garden, 'Still') });
  });

  it('are begun by two, and become a group with the next key', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = scene.newId();
    const first = scene.makeKey(ann, conversationId, [ann, bob]);
    const tea = { id: conversationId, key: first };
    const begin = { recipientId: bob.memberId, mode: 'client', conversationId, epoch: first.sent } as const;
    const sent = await done(house, direct.sendDirect, ann, { ...begin, ...scene.seal(ann, tea, 'Tea?') });
    expect(sent).toMatchObject({ conversationId, content: null, recipientId: bob.memberId });
    const repeated = { ...begin, clientId: sent.clientId!, envelope: scene.seal(ann, tea, 'Tea?').envelope };
    expect((await done(house, direct.sendDirect, ann, repeated)).id).toBe(sent.id);
    await done(house, direct.sendDirect, bob, { recipientId: ann.memberId, ...scene.seal(bob, tea, 'Yes') });
    const otherId = scene.newId();
    const other = { id: otherId, key: scene.makeKey(bob, otherId, [ann, bob]) };
    const again = {
      recipientId: ann.memberId,
      mode: 'client',
      conversationId: otherId,
      epoch: other.key.sent,
    } as const;
    expect(await refused(house, direct.sendDirect, bob, { ...again, ...scene.seal(bob, other, 'Also') })).toBe(
      '409 EPOCH_CHANGED',
    );
    const promote = { conversationId, newMemberIds: [cleo.memberId] };
    expect(await refused(house, direct.promote, ann, promote)).toBe('400 VALIDATION_ERROR');
    const next = scene.makeKey(ann, conversationId, [ann, bob, cleo], first.sent);
    await done(house, direct.promote, ann, { ...promote, epoch: next.sent });
    expect(await done(house, groups.showGroup, cleo, { conversationId })).toMatchObject({
      mode: 'client',
      memberCount: 3,
      lastMessagePreview: null,
    });
    await sendDirect(house, ann, cleo, 'In clear');
    const with3 = scene.newId();
    const late = { id: with3, key: scene.makeKey(ann, with3, [ann, cleo]) };
    const fixed = { recipientId: cleo.memberId, mode: 'client', conversationId: with3, epoch: late.key.sent } as const;
    expect(await refused(house, direct.sendDirect, ann, { ...fixed, ...scene.seal(ann, late, 'No') })).toBe(
      '409 MODE_FIXED',
    );
  });

  it('keep earlier texts sealed, and of two edits at once the first', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob } = scene;
    const garden = await scene.group([ann, bob]);
    const conversationId = garden.id;
    const first = scene.seal(ann, garden, 'First');
    const { id: messageId } = await done(house, groups.sendToGroup, ann, { conversationId, ...first });
    const { clientId } = first;
    const edited = scene.seal(ann, garden, 'Second', { clientId, revision: 1 });
    const { envelope } = edited;
    const message = await done(house, messages.groupEditMessage, ann, { conversationId, messageId, envelope });
    expect(scene.open(garden.key.key, conversationId, message)).toBe('Second');
    expect(message.editHistory).toMatchObject([
      { content: null, epoch: 1, revision: 0, signature: first.envelope.signature },
    ]);
    const [earlier] = message.editHistory!;
    expect(scene.open(garden.key.key, conversationId, { ...message, ...(earlier as typeof message) })).toBe('First');
    const twice = { conversationId, messageId, envelope };
    expect(await refused(house, messages.groupEditMessage, ann, twice)).toBe('409 REVISION_CHANGED');
    await done(house, messages.groupDeleteMessage, ann, { conversationId, messageId });
    const [gone] = (await done(house, messages.groupMessages, bob, { conversationId })).items;
    expect(gone).toMatchObject({ deleted: true, encryptedContent: null });
    expect(gone).not.toHaveProperty('signature');
  });

  it('notify those whom the sender names', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const garden = await scene.group([ann, bob, cleo]);
    const conversationId = garden.id;
    const { clientId, envelope } = scene.seal(ann, garden, '@bob, tea?');
    const named = { ...envelope, mentions: [bob.memberId, 'f'.repeat(24)] };
    await done(house, groups.sendToGroup, ann, { conversationId, clientId, envelope: named });
    expect((await done(house, groups.showGroup, bob, { conversationId })).mentionCount).toBe(1);
    expect((await done(house, groups.showGroup, cleo, { conversationId })).mentionCount).toBe(0);
  });

  it('refuse what is not for them, and say why', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob, cleo } = scene;
    const garden = await scene.group([ann, bob]);
    const conversationId = garden.id;
    const good = scene.seal(ann, garden, 'Good');
    const send = async (input: object) => await refused(house, groups.sendToGroup, ann, { conversationId, ...input });
    expect(await send({ content: 'In clear' })).toBe('400 CLIENT_ENCRYPTED');
    expect(await send({ ...good, content: 'Both' })).toBe('400 CLIENT_ENCRYPTED');
    expect(await send({ clientId: good.clientId })).toBe('400 VALIDATION_ERROR');
    expect(await send({ envelope: good.envelope })).toBe('400 VALIDATION_ERROR');
    expect(await send({ ...good, clientId: 'mine' })).toBe('400 VALIDATION_ERROR');
    expect(await send({ ...good, clientId: 'f'.repeat(32) })).toBe('400 INVALID_SIGNATURE');
    expect(await send(scene.seal(bob, garden, 'As Bob'))).toBe('400 INVALID_SIGNATURE');
    expect(await send({ ...good, envelope: { ...good.envelope, nonce: 'AAAA' } })).toBe('400 VALIDATION_ERROR');
    expect(await send(scene.seal(ann, garden, 'Edited', { revision: 1 }))).toBe('400 VALIDATION_ERROR');
    expect((await done(house, messages.groupMessages, ann, { conversationId })).items).toEqual([]);

    const begin = async (input: object) =>
      await refused(house, groups.createGroup, ann, { name: 'B', memberIds: [bob.memberId], ...input });
    const id = scene.newId();
    const key = scene.makeKey(ann, id, [ann, bob]).sent;
    const whole = { mode: 'client', conversationId: id, epoch: key };
    expect(await begin({ mode: 'client', conversationId: id })).toBe('400 VALIDATION_ERROR');
    expect(await begin({ mode: 'client', epoch: key })).toBe('400 VALIDATION_ERROR');
    expect(await begin({ conversationId: id })).toBe('400 VALIDATION_ERROR');
    expect(await begin({ epoch: key })).toBe('400 VALIDATION_ERROR');
    expect(await begin({ ...whole, epoch: scene.makeKey(ann, id, [ann]).sent })).toBe('409 EPOCH_CHANGED');
    expect(await begin({ ...whole, epoch: scene.makeKey(ann, id, [ann, bob, cleo]).sent })).toBe('409 EPOCH_CHANGED');
    expect(await begin({ ...whole, epoch: scene.makeKey(bob, id, [ann, bob]).sent })).toBe('400 INVALID_SIGNATURE');
    expect(await begin({ ...whole, epoch: { ...key, membersDigest: 'ab'.repeat(32) } })).toBe('400 VALIDATION_ERROR');
    expect(await begin({ ...whole, epoch: scene.makeKey(ann, conversationId, [ann, bob]).sent })).toBe(
      '400 INVALID_SIGNATURE',
    );
    const taken = { ...whole, conversationId, epoch: scene.makeKey(ann, conversationId, [ann, bob]).sent };
    expect(await begin(taken)).toBe('409 CONVERSATION_ID_TAKEN');

    const add = { conversationId, memberIds: [cleo.memberId] };
    expect(await refused(house, members.groupAddMembers, ann, add)).toBe('400 VALIDATION_ERROR');
    const used = { ...scene.makeKey(ann, conversationId, [ann, bob, cleo], garden.key.sent).sent };
    const reused = { ...used, keyId: garden.key.sent.keyId };
    expect(await refused(house, members.groupAddMembers, ann, { ...add, epoch: reused })).toBe('400 VALIDATION_ERROR');
    const history = { name: 'open', visibility: 'public', historyVisibleToNewMembers: true } as const;
    const own = scene.makeKey(ann, id, [ann]).sent;
    expect(
      await refused(house, channels.createChannel, ann, { ...history, mode: 'client', conversationId: id, epoch: own }),
    ).toBe('400 VALIDATION_ERROR');
    const within = { q: `tea in:${conversationId}` };
    expect(await refused(house, search.searchChat, ann, within)).toBe('400 CLIENT_ENCRYPTED');

    const clear = await done(house, groups.createGroup, ann, { name: 'Clear', memberIds: [bob.memberId] });
    const at = { conversationId: clear.id };
    expect(await refused(house, groups.sendToGroup, ann, { ...at, ...good })).toBe('400 VALIDATION_ERROR');
    const keyOfClear = scene.makeKey(ann, clear.id, [ann, bob], garden.key.sent).sent;
    expect(await refused(house, epochs.groupBeginEpoch, ann, { ...at, ...keyOfClear })).toBe('400 VALIDATION_ERROR');
    const kick = { ...at, memberId: bob.memberId, epoch: keyOfClear };
    expect(await refused(house, moderation.groupKick, ann, kick)).toBe('400 VALIDATION_ERROR');
    expect((await done(house, epochs.groupEpochs, ann, at)).epochs).toEqual([]);
  });

  it('show the public key of a member to whom they can write, and of nobody else', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob } = scene;
    const shown = await done(house, epochs.memberKey, ann, { memberId: bob.memberId });
    expect(shown).toEqual({
      memberId: bob.memberId,
      username: 'bob',
      publicKey: Buffer.from(bob.keys.publicKey).toString('hex'),
    });
    await done(house, epochs.memberKey, ann, { memberId: ann.memberId });
    await scene.block(bob, ann);
    const parted = await house.perform(epochs.memberKey, { memberId: bob.memberId }, ann.token);
    const unknown = await house.perform(epochs.memberKey, { memberId: 'f'.repeat(24) }, ann.token);
    expect(parted.status).toBe(404);
    expect(parted.body).toEqual(unknown.body);
  });
});
