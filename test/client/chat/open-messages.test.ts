import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  messageOpener,
  provenAnswers,
  unproven,
  type MessageOpener,
  type OpenedMessage,
} from '../../../src/client/chat/open-messages.ts';
import { makeEpoch } from '../../../src/client/chat/member-epochs.ts';
import { sealSaid } from '../../../src/client/chat/sealed-messages.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import { eciesEncrypt } from '../../../src/crypto/ecies.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { wrapContext } from '../../../src/crypto/room-keys.ts';
import { keyIdOf } from '../../../src/crypto/room-signatures.ts';
import { group, holderOf, openAnsweringNode, person, sealedOf, type AnsweringNode } from './answering-node.ts';

const [ada, bob, cleo, mallory] = [person('ada'), person('bob'), person('cleo'), person('mallory')];
const room = { kind: 'conversation', id: group.id };
const id = (digit: string): string => digit.repeat(32);

let node: AnsweringNode;
let opener: MessageOpener;
beforeEach(async () => {
  node = await openAnsweringNode([ada, bob, cleo, mallory]);
  node.begin(ada, [ada, bob]);
  opener = messageOpener(await node.open(ada), async () => await node.open(ada));
});
afterEach(async () => await node[Symbol.asyncDispose]());

const hello = (facts: Partial<ChatMessage> = {}) =>
  node.message(bob, { content: 'Hello' }, { id: id('1'), seq: 1, ...facts });

async function shown(...messages: ChatMessage[]): Promise<(string | null | undefined)[]> {
  return (await opener.open(messages)).map(({ content, problem }) => problem?.code ?? content);
}

async function refusal(message: ChatMessage): Promise<OpenedMessage['problem']> {
  const [behind] = [node.message(bob, { content: 'Behind' }, { id: id('f'), seq: 99 })];
  const [opened, other] = await opener.open([message, behind]);
  // What does not fit never stops the ones behind it, and shows nothing of itself.
  expect(other).toMatchObject({ content: 'Behind' });
  expect(opened).toMatchObject({ content: null, attachments: [] });
  expect(opened).not.toHaveProperty('editHistory');
  return opened?.problem;
}

describe('messages that only members can read', () => {
  it('are opened, and what stands in them counts', async () => {
    const file = { id: id('a'), filename: 'plan.txt', mimeType: 'text/plain', size: 3, key: `${'A'.repeat(43)}=` };
    const said = { content: 'Hello', replyToMessageId: id('b'), attachments: [file] };
    const beside = [{ id: id('c'), filename: 'file', mimeType: 'application/octet-stream', size: 36, url: '/x' }];
    const facts = { id: id('1'), seq: 1, attachments: beside, replyToMessageId: id('d'), content: 'Other words' };
    const message = node.message(bob, said, facts);
    const [opened] = await opener.open([message]);
    expect(opened).toMatchObject({
      content: 'Hello',
      replyToMessageId: id('b'),
      attachments: [{ id: id('a'), filename: 'plan.txt', mimeType: 'text/plain', size: 3 }],
    });
    expect(opened?.attachments).toHaveLength(1);
    expect(JSON.stringify(opened)).not.toContain(file.key);
    expect(await opener.said(message)).toEqual(said);
    const [bare] = await opener.open([hello({ id: id('2'), seq: 2, replyToMessageId: id('d'), attachments: beside })]);
    expect(bare).toMatchObject({ replyToMessageId: null, attachments: [] });
  });

  it('are in a thread only if they answer something, whatever the node says', async () => {
    const threadId = id('e');
    const answer = node.message(bob, { content: 'Yes', replyToMessageId: threadId }, { id: id('1'), seq: 1, threadId });
    const moved = hello({ id: id('2'), seq: 2, threadId, replyToMessageId: threadId });
    const both = await opener.open([answer, moved]);
    expect(both.map((one) => [one.content, one.threadId])).toEqual([
      ['Yes', threadId],
      ['Hello', undefined],
    ]);
    const [kept, refused] = provenAnswers(both);
    expect(kept).toBe(both[0]);
    expect(refused).toMatchObject({ content: null, problem: { code: 'MESSAGE_REORDERED' } });
    expect(refused?.problem?.message).toContain('bob');
    const [deleted] = await opener.open([{ ...answer, id: id('3'), deleted: true, seq: 3 }]);
    expect(provenAnswers([deleted!])).toEqual([deleted]);
  });

  it('are of whom the member list says by their id, and of no other program', async () => {
    const forged = { ...hello(), senderName: 'cleo', webhook: 'cleo' };
    const [opened] = await opener.open([forged]);
    expect(opened).toMatchObject({ content: 'Hello', senderId: bob.memberId, senderName: 'bob' });
    expect(opened).not.toHaveProperty('webhook');
    const [damaged] = await opener.open([{ ...forged, id: id('2'), seq: 2, signature: '00' }]);
    expect(damaged?.problem?.message).toBe("The signature of this message is not bob's.");
    expect(unproven({ ...forged, content: 'FORGED', editHistory: [] })).toMatchObject({ content: null });
    expect(unproven({ ...forged, content: 'FORGED', editHistory: [] })).not.toHaveProperty('editHistory');
  });

  it('keep their order, whatever order they come in, and may be shown again', async () => {
    const [one, two] = [hello(), node.message(ada, { content: 'Two' }, { id: id('2'), seq: 2 })];
    expect(await shown(two, one)).toEqual(['Two', 'Hello']);
    expect(await shown(one, two)).toEqual(['Hello', 'Two']);
    expect(await shown()).toEqual([]);
  });

  it('are opened with newer and with earlier keys', async () => {
    node.begin(bob, [ada, bob, cleo]);
    const first = hello({ epoch: 1 });
    const second = node.message(cleo, { content: 'From Cleo' }, { id: id('2'), seq: 2 });
    expect(await shown(second)).toEqual(['From Cleo']);
    expect(await shown(first, second)).toEqual(['Hello', 'From Cleo']);
    const forCleo = messageOpener(await node.open(cleo), async () => await node.open(cleo));
    expect(await forCleo.open([first, second])).toMatchObject([
      { content: null, problem: { code: 'MESSAGE_UNREADABLE' } },
      { content: 'From Cleo' },
    ]);
  });

  it('have earlier texts, of earlier keys', async () => {
    const before = hello();
    const { encryptedContent, signature = '', epoch, revision } = before;
    node.begin(ada, [ada, bob]);
    const editedAt = '2026-11-30T12:01:00.000Z';
    const earlier = { content: null, encryptedContent: encryptedContent ?? '', signature, epoch, revision, editedAt };
    const lost = { ...earlier, signature: '00'.repeat(64) };
    const now = node.message(
      bob,
      { content: 'Bye' },
      { id: id('1'), seq: 1, revision: 1, editedAt, editHistory: [earlier, lost] },
    );
    const [opened] = await opener.open([now]);
    expect(opened).toMatchObject({
      content: 'Bye',
      editHistory: [{ content: 'Hello' }, { content: null, problem: { code: 'MESSAGE_SIGNATURE_FOREIGN' } }],
    });
  });

  it('say nothing when they are deleted or hidden, not even what the node puts there', async () => {
    const attachments = [{ id: id('c'), filename: 'x', mimeType: 'y', size: 1, url: '/x' }];
    const [deleted, hidden] = await opener.open([
      { ...hello(), deleted: true, content: 'Trust me', attachments },
      { ...hello({ id: id('2'), seq: 2 }), hidden: true, content: 'Trust me', attachments },
    ]);
    expect(deleted).toMatchObject({ content: null, attachments: [] });
    expect(hidden).toMatchObject({ content: null, attachments: [] });
  });
});

describe('a message that does not fit is marked', () => {
  it('when the node invents it', async () => {
    const bare = { ...hello(), encryptedContent: null, content: 'Trust me' };
    expect(await refusal(bare)).toMatchObject({
      code: 'MESSAGE_NOT_SEALED',
      message: expect.stringContaining('bob'),
    });
    const { signature: _, ...unsigned } = hello();
    for (const message of [unsigned, { ...hello(), clientId: null }, { ...hello(), clientId: 'A'.repeat(32) }])
      expect(await refusal(message)).toMatchObject({ code: 'MESSAGE_NOT_SEALED' });
  });

  it('when it is given to another author', async () => {
    expect(await refusal({ ...hello(), senderId: ada.memberId, senderName: 'ada' })).toEqual({
      code: 'MESSAGE_SIGNATURE_FOREIGN',
      message: "The signature of this message is not ada's.",
    });
    // The public key of ada is known now, and verifies no better.
    await opener.open([node.message(ada, { content: 'Mine' }, { id: id('5'), seq: 5 })]);
    expect(await refusal({ ...hello(), senderId: ada.memberId })).toMatchObject({ code: 'MESSAGE_SIGNATURE_FOREIGN' });
    expect(await refusal({ ...hello(), signature: 'no hex' })).toMatchObject({ code: 'MESSAGE_SIGNATURE_FOREIGN' });
    const other = node.message(bob, { content: 'Other' }, { id: id('3'), seq: 3 });
    expect(await refusal({ ...hello(), signature: other.signature! })).toMatchObject({
      code: 'MESSAGE_SIGNATURE_FOREIGN',
    });
  });

  it('when its text, its name or its revision is changed', async () => {
    const sealed = Buffer.from(hello().encryptedContent!, 'base64');
    sealed[sealed.length - 1]! ^= 1;
    const changes = [
      { encryptedContent: sealed.toString('base64') },
      { clientId: id('9') },
      { revision: 1 },
      { encryptedContent: '!' },
    ];
    for (const change of changes)
      expect(await refusal({ ...hello(), ...change }), JSON.stringify(change)).toMatchObject({
        code: 'MESSAGE_SIGNATURE_FOREIGN',
      });
  });

  it('when it is moved to another conversation', async () => {
    const elsewhere = { kind: 'conversation', id: id('e') };
    const place = { epoch: 1, senderId: bob.memberId, messageId: id('1'), revision: 0 };
    const key = node.made.get(1)!.key;
    const { nonce, ciphertext, signature } = sealSaid(bob.keys, key, elsewhere, place, { content: 'Elsewhere' });
    const moved = { ...hello(), encryptedContent: sealedOf(nonce, ciphertext), signature };
    expect(await refusal(moved)).toMatchObject({ code: 'MESSAGE_SIGNATURE_FOREIGN' });
  });

  it('when it is under a key that does not open it, or says what no client seals', async () => {
    const place = { epoch: 1, senderId: bob.memberId, messageId: id('1'), revision: 0 };
    const wrong = sealSaid(bob.keys, new Uint8Array(32), room, place, { content: 'Hello' });
    const damaged = { encryptedContent: sealedOf(wrong.nonce, wrong.ciphertext), signature: wrong.signature };
    expect(await refusal({ ...hello(), ...damaged })).toMatchObject({ code: 'MESSAGE_DAMAGED' });
  });

  it('when it is of somebody who has no such key', async () => {
    expect(await refusal(node.message(mallory, { content: 'Hi' }, { id: id('1'), seq: 1 }))).toMatchObject({
      code: 'MESSAGE_SENDER_FOREIGN',
      message: expect.stringContaining(mallory.memberId),
    });
    // The node encrypts a key of its own to ada, and mallory writes under that.
    const key = new Uint8Array(32).fill(9);
    const wrapped = toHex(
      eciesEncrypt(ada.keys.publicKey, key, wrapContext({ room, keyId: keyIdOf(key) }, ada.memberId)),
    );
    node.answers.wraps.get(ada.memberId)!.push({ epoch: 2, keyId: keyIdOf(key), wrapped });
    const place = { epoch: 2, senderId: mallory.memberId, messageId: id('1'), revision: 0 };
    const { nonce, ciphertext, signature } = sealSaid(mallory.keys, key, room, place, { content: 'Hi' });
    const forged = { encryptedContent: sealedOf(nonce, ciphertext), signature, epoch: 2 };
    const message = { ...node.message(mallory, { content: 'Hi' }, { id: id('1'), seq: 1 }), ...forged };
    expect(await refusal(message)).toMatchObject({ code: 'MESSAGE_UNREADABLE' });
  });

  it('when it is shown a second time', async () => {
    const first = hello();
    expect(await shown(first, { ...first, id: id('2'), seq: 2 })).toEqual(['Hello', 'MESSAGE_REPLAYED']);
    expect(await shown({ ...first, id: id('3'), seq: 3 })).toEqual(['MESSAGE_REPLAYED']);
    const [, again] = await opener.open([first, { ...first, id: id('2'), seq: 2 }]);
    expect(again?.problem?.message).toContain(id('1'));
    // Another sender may call a message the same.
    const other = node.message(ada, { content: 'Mine' }, { id: id('4'), seq: 4, clientId: first.clientId });
    expect(await shown(other)).toEqual(['Mine']);
  });

  it('when it stands before messages under older keys, or behind newer ones', async () => {
    node.begin(ada, [ada, bob]);
    const old = hello({ epoch: 1, seq: 5 });
    const fresh = node.message(bob, { content: 'Fresh' }, { id: id('2'), seq: 4 });
    expect(await shown(fresh, old)).toEqual(['Fresh', 'MESSAGE_REORDERED']);
    // Pages come with the newest first.
    const later = messageOpener(await node.open(ada), async () => await node.open(ada));
    const [last] = await later.open([{ ...old, seq: 9 }]);
    const [before] = await later.open([fresh]);
    expect([last?.content, before?.problem?.code]).toEqual(['Hello', 'MESSAGE_REORDERED']);
    // An edited message is under a newer key than those behind it.
    const edited = node.message(bob, { content: 'Edited' }, { id: id('3'), seq: 1, revision: 1 });
    expect(await shown(edited)).toEqual(['Edited']);
  });

  it('and a chain that does not fit opens nothing at all', async () => {
    const forged = makeEpoch(mallory.keys, room, node.made.get(1)!.known, [ada, mallory].map(holderOf));
    node.take(mallory, forged, [ada, mallory]);
    await expect(opener.open([hello({ epoch: 2 })])).rejects.toMatchObject({ code: 'EPOCH_AUTHOR_FOREIGN' });
  });
});
