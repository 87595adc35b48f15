import { describe, expect, it } from 'vitest';
import { clientIdFrom } from '../../../src/client/chat/client-ids.ts';
import { mentionsIn } from '../../../src/client/chat/mentions.ts';
import { openFile, sealFile } from '../../../src/client/chat/sealed-files.ts';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import { openSaid, sealSaid, type Said } from '../../../src/client/chat/sealed-messages.ts';
import { concat, fromHex, toHex, utf8 } from '../../../src/crypto/bytes.ts';
import { openMessage, sealMessage } from '../../../src/crypto/room-keys.ts';
import { messageStatement } from '../../../src/crypto/room-signatures.ts';
import { recoverMemberKey, sign } from '../../../src/crypto/signature.ts';
import { person, sealedOf } from './answering-node.ts';

const room = { kind: 'conversation', id: '0192f3a4b5c6d7e8f900112233445566' };
const bob = person('bob');
const key = new Uint8Array(32).fill(3);
const place = { epoch: 4, senderId: bob.memberId, messageId: 'ab'.repeat(16), revision: 2 };
const isSignedBy = (memberId: string, statement: Uint8Array, signature: Uint8Array) =>
  recoverMemberKey(signature, statement, memberId) !== undefined;

const sealed = (said: Said) => sealSaid(bob.keys, key, room, place, said);
const bytesOf = (said: Said): Uint8Array => {
  const { nonce, ciphertext } = sealed(said);
  return openMessage(key, room, place, Buffer.from(sealedOf(nonce, ciphertext), 'base64'));
};

/** Bytes that some client sealed and signed, as they are. */
function opened(bytes: Uint8Array): Said {
  const made = sealMessage(key, room, place, bytes);
  const signature = toHex(sign(bob.keys.privateKey, messageStatement(room, place, made)));
  const encryptedContent = Buffer.from(made).toString('base64');
  return openSaid(key, room, { place, encryptedContent, signature }, isSignedBy, 'bob');
}

describe('what a message says', () => {
  it('goes as an envelope, and comes back', () => {
    const said = { content: 'Gruß, 你好 👍', replyToMessageId: 'cd'.repeat(16) };
    const envelope = sealed(said);
    expect(envelope).toMatchObject({ epoch: 4, revision: 2 });
    expect(Buffer.from(envelope.nonce, 'base64')).toHaveLength(16);
    const { nonce, ciphertext, signature } = envelope;
    const text = { place, encryptedContent: sealedOf(nonce, ciphertext), signature };
    expect(openSaid(key, room, text, isSignedBy, 'bob')).toEqual(said);
    const digest = recoverMemberKey(
      fromHex(signature),
      messageStatement(room, place, Buffer.from(text.encryptedContent, 'base64')),
      bob.memberId,
    );
    expect(digest).toEqual(bob.keys.publicKey);
  });

  it('is JSON with spaces behind it, in steps of 256 bytes', () => {
    const sizes = [1, 200, 242, 243, 244, 500].map((length) => bytesOf({ content: 'x'.repeat(length) }).length);
    expect(sizes).toEqual([256, 256, 256, 512, 512, 768]);
    expect(Buffer.from(bytesOf({ content: 'Tea?' })).toString()).toBe('{"content":"Tea?"}'.padEnd(256));
    // Texts of similar lengths look alike.
    expect(sealed({ content: 'Yes' }).ciphertext).toHaveLength(sealed({ content: 'No, never' }).ciphertext.length);
  });

  it('is refused where no message may have it, before anything is sealed', () => {
    const invalid = { kind: 'invalid', code: 'VALIDATION_ERROR' };
    for (const content of ['', ' ', '\u0000', 'x'.repeat(8_001), '\ud800'])
      expect(() => sealed({ content })).toThrow(expect.objectContaining(invalid));
    expect(() => sealed({ content: 'x', replyToMessageId: 'no id' })).toThrow(expect.objectContaining(invalid));
    expect(sealed({ content: '𝕏'.repeat(8_000) }).ciphertext.length).toBeGreaterThan(32_000);
    const name = '語'.repeat(255);
    const file = { id: 'ab'.repeat(16), filename: name, mimeType: name, size: 1, key: `${'A'.repeat(43)}=` };
    expect(() => sealed({ content: '𝕏'.repeat(8_000), attachments: Array.from({ length: 10 }, () => file) })).toThrow(
      expect.objectContaining({ ...invalid, message: expect.stringContaining('must be shorter') }),
    );
  });

  it('is not shown when it has another form', () => {
    const form = expect.objectContaining({ code: 'MESSAGE_FORM_UNKNOWN', message: expect.stringContaining('bob') });
    for (const text of ['', 'Tea?', '[]', 'null', '{}', '{"content":7}', '{"content":""}', '{"content":"x"} y'])
      expect(() => opened(utf8(text)), text).toThrow(form);
    expect(() => opened(Uint8Array.of(0xff))).toThrow(form);
    for (const attachments of [{}, [{}], [{ id: 'x' }]])
      expect(() => opened(utf8(JSON.stringify({ content: 'x', attachments })))).toThrow(form);
    expect(opened(utf8('  {"content":"x","later":1}\n'))).toEqual({ content: 'x' });
  });
});

describe('what goes with a message', () => {
  it('is a file under a key of its own', () => {
    const bytes = utf8('The plan');
    const { sealed: hidden, key: fileKey } = sealFile(bytes);
    expect(hidden).toHaveLength(bytes.length + chatLimits.sealedOverhead);
    const file = {
      id: 'ab'.repeat(16),
      filename: 'plan.txt',
      mimeType: 'text/plain',
      size: bytes.length,
      key: fileKey,
    };
    expect(openFile(file, hidden)).toEqual(bytes);
    const damaged = expect.objectContaining({ code: 'MESSAGE_DAMAGED', message: expect.stringContaining('plan.txt') });
    const flipped = Uint8Array.from(hidden, (byte, at) => (at === hidden.length - 1 ? byte ^ 1 : byte));
    for (const other of [
      flipped,
      hidden.subarray(1),
      concat(hidden, Uint8Array.of(0)),
      new Uint8Array(),
      sealFile(bytes).sealed,
    ])
      expect(() => openFile(file, other)).toThrow(damaged);
    expect(() => openFile({ ...file, size: 9 }, hidden)).toThrow(damaged);
  });

  it('is whom it names, as the node reads it where it can', () => {
    const member = (name: string) => {
      const { memberId } = person(name);
      return { memberId, username: name, hasKey: true, publicKey: undefined };
    };
    const members = ['ada', 'Bob', 'all', 'cleo_x'].map(member);
    const [ada, , , cleo] = members as [(typeof members)[0], unknown, unknown, (typeof members)[0]];
    const own = ada.memberId;
    const names = (text: string) =>
      mentionsIn(text, members, own).map((id) => members.find(({ memberId }) => memberId === id)?.username ?? id);
    expect(names('Hello @bob, (@CLEO_X) and @nobody @ada')).toEqual(['Bob', 'cleo_x']);
    expect(names('@all: tea')).toEqual(['all']);
    expect(names('mail bob@cleo_x.example and /@bob or @bob@home @bo')).toEqual([]);
    expect(mentionsIn('@cleo_x', [], own)).toEqual([]);
    expect(mentionsIn('@cleo_x', members, cleo.memberId)).toEqual([]);
    const many = Array.from({ length: 51 }, (_, at) => member(`m${at}xx`));
    const all = many.map(({ username }) => `@${username}`).join(' ');
    expect(() => mentionsIn(all, many, own)).toThrow(expect.objectContaining({ code: 'TOO_MANY_MENTIONS' }));
  });

  it('is a name of its own, and the same one when it is sent again', () => {
    expect(clientIdFrom(room.id, undefined)).toMatch(/^[0-9a-f]{32}$/);
    expect(clientIdFrom(room.id, undefined)).not.toBe(clientIdFrom(room.id, undefined));
    expect(clientIdFrom(room.id, place.messageId)).toBe(place.messageId);
    expect(clientIdFrom(room.id, 'uptime-1')).toBe(clientIdFrom(room.id, 'uptime-1'));
    expect(clientIdFrom(room.id, 'uptime-1')).toMatch(/^[0-9a-f]{32}$/);
    expect(clientIdFrom(room.id, 'uptime-1')).not.toBe(clientIdFrom(room.id, 'uptime-2'));
    expect(clientIdFrom(room.id, 'uptime-1')).not.toBe(clientIdFrom(place.messageId, 'uptime-1'));
  });
});
