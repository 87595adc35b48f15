import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needsKey, rememberMade } from '../../../src/client/chat/open-conversation.ts';
import { readKnown } from '../../../src/client/chat/known-conversations.ts';
import { makeEpoch } from '../../../src/client/chat/member-epochs.ts';
import { firstEpoch, nextEpoch, safetyNumberFor } from '../../../src/client/chat/next-epoch.ts';
import { perform } from '../../../src/client/perform.ts';
import { chat } from '../../../src/contract/chat.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { eciesEncrypt } from '../../../src/crypto/ecies.ts';
import { wrapContext } from '../../../src/crypto/room-keys.ts';
import { keyIdOf } from '../../../src/crypto/room-signatures.ts';
import { group, holderOf, listed, openAnsweringNode, person, type AnsweringNode } from './answering-node.ts';

const room = { kind: 'conversation', id: group.id };
const [ada, bob, cleo, mallory] = [person('ada'), person('bob'), person('cleo'), person('mallory')];

let node: AnsweringNode;
beforeEach(async () => {
  node = await openAnsweringNode([ada, bob, cleo, mallory]);
  node.begin(ada, [ada, bob]);
});
afterEach(async () => await node[Symbol.asyncDispose]());

const problem = (code: string, ...words: string[]) => ({
  kind: 'network',
  code,
  message: expect.stringMatching(new RegExp(words.join('.*'))),
});

describe('a conversation that only its members can read', () => {
  it('opens, with the same number for all, and is remembered', async () => {
    node.begin(bob, [ada, bob, cleo]);
    const [forAda, forCleo] = [await node.open(ada), await node.open(cleo)];
    expect([...forAda.keys.keys()]).toEqual([1, 2]);
    expect([...forCleo.keys.keys()]).toEqual([2]);
    expect(forCleo).toMatchObject({ oldest: 2, closed: false, waiting: [], current: { epoch: 2 } });
    expect(forAda.keys.get(2)).toEqual(node.made.get(2)!.key);
    expect(await safetyNumberFor(forAda)).toBe(await safetyNumberFor(forCleo));
    const known = await readKnown(node.memoryOf(ada), group.id);
    expect(known?.epochs.map(([epoch, keyId]) => [epoch, keyId])).toEqual([
      [1, node.made.get(1)!.sent.keyId],
      [2, node.made.get(2)!.sent.keyId],
    ]);
    expect(known?.memberIds).toEqual([ada, bob, cleo].map(({ memberId }) => memberId).toSorted());
  });

  it('continues from what is remembered, and opens what was before on demand', async () => {
    await node.open(ada);
    node.begin(bob, [ada, bob, cleo]);
    node.begin(ada, [ada, cleo]);
    await node.open(ada);
    const open = await node.open(ada);
    expect([...open.epochs.keys()]).toEqual([3]);
    await open.load(1);
    expect([...open.keys.keys()].toSorted()).toEqual([1, 2, 3]);
    expect(open.epochs.get(2)?.memberIds).toContain(bob.memberId);
    await open.load(1);
  });

  it('says nothing of keys that were destroyed with the messages under them, and much of others', async () => {
    node.begin(ada, [ada, bob]);
    const [first, second] = node.answers.wraps.get(bob.memberId)!;
    node.begin(ada, [ada, bob]);
    const third = node.answers.wraps.get(bob.memberId)![2]!;
    const wrapsAre = (...wraps: NonNullable<typeof first>[]) => node.answers.wraps.set(bob.memberId, wraps);
    wrapsAre(third);
    const open = await node.open(bob);
    expect([open.oldest, [...open.keys.keys()], [...open.unopened], needsKey(open)]).toEqual([3, [3], [], false]);
    await open.load(1);
    expect([...open.unopened]).toEqual([]);
    // One between those that it has is not destroyed but kept back, and so is the newest one.
    wrapsAre(first!, third);
    const held = await node.open(bob, { accept: 'look' });
    expect([...held.unopened.keys()]).toEqual([2]);
    wrapsAre(first!, second!);
    const without = await node.open(bob, { accept: 'look' });
    expect([[...without.unopened.keys()], needsKey(without)]).toEqual([[3], true]);
  });

  it('shows who waits for a key, and gives the next one to nobody who was not named', async () => {
    await node.open(ada);
    node.answers.members.push({ ...listed(cleo) }, { ...listed(mallory) });
    const open = await node.open(ada);
    expect(open.waiting.map(({ username }) => username)).toEqual(['cleo', 'mallory']);
    expect((await nextEpoch(open)).known.memberIds).toEqual([ada, bob].map(({ memberId }) => memberId).toSorted());
    const { sent } = await nextEpoch(open, { add: [cleo.memberId] });
    await perform(open.caller, chat.groupBeginEpoch, { conversationId: group.id, ...sent });
    const next = await node.open(bob);
    expect(next.current?.memberIds).toEqual([ada, bob, cleo].map(({ memberId }) => memberId).toSorted());
    expect((await node.open(cleo)).current).toMatchObject({ epoch: 2 });
  });

  it('leaves out of the next key whoever is not there any more, or came back without one', async () => {
    node.begin(ada, [ada, bob, cleo]);
    node.answers.closed = true;
    node.answers.members = [{ ...listed(ada), hasKey: true }, { ...listed(cleo) }];
    const open = await node.open(ada);
    expect(open).toMatchObject({ closed: true, holders: [ada.memberId] });
    const { known } = await nextEpoch(open);
    expect(known).toMatchObject({ epoch: 3, memberIds: [ada.memberId] });
    expect((await nextEpoch(open, { add: [bob.memberId] })).known.memberIds).toContain(bob.memberId);
  });

  it('waits for a key where the member at this machine has none', async () => {
    node.answers.members.push({ ...listed(cleo) });
    const open = await node.open(cleo);
    expect(open).toMatchObject({ current: undefined, oldest: null, holders: [] });
    await expect(nextEpoch(open)).rejects.toMatchObject({ kind: 'conflict', code: 'KEY_MISSING' });
    // It is remembered that the node may not read it.
    expect(await readKnown(node.memoryOf(cleo), group.id)).toMatchObject({ epochs: [] });
  });

  it('begins with exactly its members', async () => {
    const { conversationId, epoch } = await firstEpoch(node.callerOf(ada), ada, [bob.memberId, ada.memberId]);
    expect(conversationId).toMatch(/^0[0-9a-f]{31}$/);
    expect(epoch.known).toMatchObject({ epoch: 1, memberIds: [ada, bob].map(({ memberId }) => memberId).toSorted() });
    await expect(firstEpoch(node.callerOf(ada), ada, ['00'.repeat(12)])).rejects.toMatchObject({
      code: 'MEMBER_NOT_FOUND',
    });
  });
});

describe('a node that interferes is noticed', () => {
  it('when it says that somebody can read whom nobody signed', async () => {
    node.answers.members.push({ ...listed(mallory), hasKey: true });
    await expect(node.open(ada)).rejects.toMatchObject(problem('MEMBER_NOT_SIGNED', 'mallory', mallory.memberId));
  });

  it('when it makes a key of its own for the members', async () => {
    const forged = makeEpoch(mallory.keys, room, node.made.get(1)!.known, [ada, bob, mallory].map(holderOf));
    node.take(mallory, forged, [ada, bob, mallory]);
    await expect(node.open(ada)).rejects.toMatchObject(problem('EPOCH_AUTHOR_FOREIGN', 'mallory'));
  });

  it('when it replaces the wrap of a key, or its author wrapped rubbish: that key is closed, and not those behind it', async () => {
    const own = node.answers.wraps.get(bob.memberId)![0]!;
    const other = new Uint8Array(32).fill(7);
    const honest = { ...own };
    const wrapOf = (key: Uint8Array, keyId: string) =>
      toHex(eciesEncrypt(bob.keys.publicKey, key, wrapContext({ room, keyId }, bob.memberId)));
    // Another key under the name of the right one, or under its own name.
    const wrongs = [
      { ...honest, wrapped: wrapOf(other, own.keyId) },
      { epoch: 1, keyId: keyIdOf(other), wrapped: wrapOf(other, keyIdOf(other)) },
      { ...honest, wrapped: '00'.repeat(100) },
    ];
    for (const wrong of wrongs) {
      node.answers.wraps.set(bob.memberId, [wrong]);
      const open = await node.open(bob);
      expect([...open.unopened]).toEqual([[1, expect.stringMatching(/key 1 .*ada/)]]);
      expect([...open.keys]).toEqual([]);
      // The list is signed, so whoever is in it makes the next key for all.
      expect(needsKey(open)).toBe(true);
      expect((await nextEpoch(open)).known).toMatchObject({ epoch: 2, memberIds: open.current?.memberIds });
    }
    node.begin(ada, [ada, bob]);
    const next = await node.open(bob);
    expect([[...next.keys.keys()], needsKey(next)]).toEqual([[2], false]);
    node.answers.wraps.set(bob.memberId, [honest, ...node.answers.wraps.get(bob.memberId)!.slice(1)]);
    const again = await node.open(bob);
    await again.load(1);
    expect([...again.keys.keys()].toSorted()).toEqual([1, 2]);
  });

  it('when it hides that somebody left whom the newest key is for', async () => {
    node.answers.members = [{ ...listed(ada), hasKey: true }];
    const open = await node.open(ada);
    expect(open).toMatchObject({ closed: false, holders: [ada.memberId] });
    expect(needsKey(open)).toBe(true);
    expect((await nextEpoch(open)).known.memberIds).toEqual([ada.memberId]);
  });

  it('when it shows another key than the one that was made here', async () => {
    const bare = await openAnsweringNode([ada, bob, mallory]);
    const [made, forged] = [ada, mallory].map((author) =>
      makeEpoch(author.keys, room, undefined, [ada, bob, mallory].map(holderOf)),
    );
    await rememberMade({ self: ada, memory: bare.memoryOf(ada) }, group, made!.known);
    bare.take(mallory, forged!, [ada, bob, mallory]);
    await expect(bare.open(ada)).rejects.toMatchObject(problem('EPOCH_REPLACED', 'Key 1', 'mallory', '--accept'));
    // The one who was removed with a key made here had the key before, and signs one with that number.
    node.begin(ada, [ada, bob, mallory]);
    const before = await node.open(ada);
    const kicking = await nextEpoch(before, { remove: [mallory.memberId] });
    await rememberMade({ self: ada, memory: node.memoryOf(ada) }, group, kicking.known);
    node.begin(mallory, [ada, bob, mallory]);
    await expect(node.open(ada)).rejects.toMatchObject(problem('EPOCH_REPLACED', 'Key 3', 'mallory'));
    await bare[Symbol.asyncDispose]();
  });

  it('when it shows an earlier state, or another one', async () => {
    node.begin(bob, [ada, bob, cleo]);
    await node.open(ada);
    const first = node.answers.epochs[0]!;
    node.answers.epochs.splice(1);
    await expect(node.open(ada)).rejects.toMatchObject(problem('EPOCH_REPLAYED', 'key 1', 'key 2'));
    // Bob, or whoever has his key, signs another second key than that which this machine saw.
    node.answers.epochs.splice(0, 2, first);
    const other = makeEpoch(bob.keys, room, node.made.get(1)!.known, [ada, bob].map(holderOf));
    node.answers.wraps.get(ada.memberId)!.splice(1);
    node.take(bob, other, [ada, bob]);
    await expect(node.open(ada)).rejects.toMatchObject(problem('EPOCH_REPLACED', 'Key 2', 'bob'));
  });

  it('when it replaces a key of before', async () => {
    node.begin(bob, [ada, bob, cleo]);
    await node.open(ada);
    const open = await node.open(ada);
    const forged = makeEpoch(mallory.keys, room, undefined, [ada, mallory].map(holderOf));
    const { wraps: _, ...facts } = forged.sent;
    const first = node.answers.epochs[0]!;
    const memberIds = [...forged.known.memberIds];
    node.answers.epochs[0] = { ...first, ...facts, authorId: mallory.memberId, memberIds };
    await expect(open.load(1)).rejects.toMatchObject(problem('EPOCH_REPLACED', 'Key 1', mallory.memberId));
    node.answers.epochs[0] = { ...first, memberIds: [...first.memberIds, mallory.memberId].toSorted() };
    await expect(open.load(1)).rejects.toMatchObject(problem('EPOCH_REPLACED', 'Key 1'));
    node.answers.epochs[0] = first;
    await open.load(1);
  });

  it('when it hides what happened, until the member accepts what is there', async () => {
    await node.open(ada);
    node.begin(bob, [bob]);
    node.begin(bob, [bob, ada]);
    node.answers.wraps.set(
      ada.memberId,
      node.answers.wraps.get(ada.memberId)!.filter(({ epoch }) => epoch === 3),
    );
    await expect(node.open(ada)).rejects.toMatchObject(problem('EPOCH_GAP', 'key 1', 'key 3', '--accept'));
    expect((await node.open(ada, { accept: 'believe' })).current).toMatchObject({ epoch: 3 });
    expect((await node.open(ada)).current).toMatchObject({ epoch: 3 });
    node.answers.epochs.splice(2);
    node.answers.epochs.splice(1, 1);
    await expect(node.open(bob)).resolves.toMatchObject({ current: { epoch: 1 } });
  });

  it('when it does not show the newest key', async () => {
    node.begin(ada, [ada, bob]);
    node.answers.newest = 3;
    await expect(node.open(bob)).rejects.toMatchObject(problem('EPOCH_ORDER_FOREIGN', 'key 3'));
  });

  it('when it shows a public key that is not of the member', async () => {
    node.answers.members[1] = { ...listed(bob), hasKey: true, publicKey: toHex(mallory.keys.publicKey) };
    await expect(node.open(ada)).rejects.toMatchObject(problem('MEMBER_KEY_FOREIGN', 'bob'));
    node.answers.members[1] = { ...listed(bob), hasKey: true, publicKey: '00' };
    await expect(node.open(ada)).rejects.toMatchObject(problem('MEMBER_KEY_FOREIGN', 'bob'));
  });

  it('when it says that it may read what it may not', async () => {
    node.answers.mode = 'server';
    await expect(node.open(ada)).rejects.toMatchObject(problem('CONVERSATION_MODE_CHANGED', 'Board'));
  });

  it('when somebody else has a key of a conversation of two', async () => {
    const participants = [ada.memberId, bob.memberId];
    const pair = { ...group, type: 'direct', title: 'bob', participants } as const;
    expect(await node.open(ada, { place: pair })).toMatchObject({ holders: participants.toSorted(), members: [] });
    expect(await readKnown(node.memoryOf(ada), group.id)).toMatchObject({ with: bob.memberId });
    node.begin(bob, [ada, bob, mallory]);
    await expect(node.open(ada, { place: pair })).rejects.toMatchObject(
      problem('CONVERSATION_MEMBERS_FOREIGN', 'Key 2', 'bob', mallory.memberId),
    );
    // As a group it may have more members, which is proven by their keys.
    expect(await node.open(ada)).toMatchObject({ current: { epoch: 2 } });
    expect(await readKnown(node.memoryOf(ada), group.id)).not.toHaveProperty('with');
  });

  it('when it says that a conversation of two is one of three, or with somebody else, or another one', async () => {
    const pairWith = (...people: readonly (typeof ada)[]) =>
      ({ ...group, type: 'direct', title: 'bob', participants: people.map(({ memberId }) => memberId) }) as const;
    const foreign = problem('CONVERSATION_MEMBERS_FOREIGN');
    await expect(node.open(ada, { place: pairWith(ada, bob, mallory) })).rejects.toMatchObject(foreign);
    await expect(node.open(ada, { place: pairWith(ada, ada) })).rejects.toMatchObject(foreign);
    await expect(node.open(ada, { place: pairWith(bob, mallory) })).rejects.toMatchObject(foreign);
    await node.open(ada, { place: pairWith(ada, bob) });
    await expect(node.open(ada, { place: pairWith(ada, mallory) })).rejects.toMatchObject(foreign);
    // That it is a group has to be signed.
    await node.open(ada);
    expect(await readKnown(node.memoryOf(ada), group.id)).toMatchObject({ with: bob.memberId });
    const another = { ...pairWith(ada, bob), id: 'ee'.repeat(16) };
    await expect(node.open(ada, { place: another })).rejects.toMatchObject(
      problem('CONVERSATION_MEMBERS_FOREIGN', group.id, 'verify'),
    );
  });

  it('and what it shows can be looked at without believing it', async () => {
    await node.open(ada);
    const other = makeEpoch(bob.keys, room, undefined, [ada, bob, cleo].map(holderOf));
    node.answers.epochs.splice(0);
    node.answers.wraps.clear();
    node.take(bob, other, [ada, bob, cleo]);
    const before = await readKnown(node.memoryOf(ada), group.id);
    const replaced = problem('EPOCH_REPLACED', 'restored from a backup', '--accept');
    await expect(node.open(ada)).rejects.toMatchObject(replaced);
    expect((await node.open(ada, { accept: 'look' })).current?.memberIds).toContain(cleo.memberId);
    expect(await readKnown(node.memoryOf(ada), group.id)).toEqual(before);
    await expect(node.open(ada)).rejects.toMatchObject(replaced);
    await node.open(ada, { accept: 'believe' });
    await node.open(ada);
  });
});
