import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openOwnKeys } from '../../src/client/room-keys.ts';
import { fromHex, fromUtf8, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { eciesEncrypt, eciesEncrypter } from '../../src/crypto/ecies.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import {
  digestOfMembers,
  nodeContext,
  openMessage,
  openRoomKey,
  openRoomSecret,
  sealMessage,
  sealRoomSecret,
  wrapContext,
} from '../../src/crypto/room-keys.ts';
import vector from '../vectors/room-keys.json' with { type: 'json' };
import { runs } from '../support/stage.ts';
import { damaged, expectCryptoError } from './damage.ts';

const { room, keyId, memberId, message } = vector;
const [key, privateKey, wrapped, sealed] = [vector.key, vector.privateKey, vector.wrapped, vector.sealed].map((text) =>
  fromHex(text),
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
const name = { room, keyId };

/** The vector was made by a program in another language, over another library, from the layout alone. */
describe('the keys of rooms', () => {
  it('open what another program wrapped and sealed, and seal the same bytes', () => {
    expect(toHex(openRoomKey(privateKey, wrapped, name, memberId))).toBe(vector.key);
    const opened = openOwnKeys(privateKey, memberId, room, [{ epoch: 7, keyId, wrapped: vector.wrapped }]);
    expect([...opened].map(([epoch, one]) => [epoch, toHex(one)])).toEqual([[7, vector.key]]);
    expect(toHex(openMessage(key, room, message, sealed))).toBe(vector.text);
    const fixed = () => fromHex(vector.iv);
    expect(toHex(sealMessage(key, room, message, fromHex(vector.text), fixed))).toBe(vector.sealed);
    expect(digestOfMembers(vector.members)).toBe(vector.membersDigest);
    const facts = { ...name, epoch: 7, membersDigest: vector.membersDigest, isOpen: true };
    expect(toHex(nodeContext(facts))).toBe(vector.nodeContext);
    expect(toHex(nodeContext({ ...facts, isOpen: false }))).not.toBe(vector.nodeContext);
  });

  it('refuse what was damaged', () => {
    fc.assert(
      fc.property(damaged(wrapped), damaged(sealed), (badWrap, badMessage) => {
        expectCryptoError(() => openRoomKey(privateKey, badWrap, name, memberId));
        expectCryptoError(() => openMessage(key, room, message, badMessage));
      }),
      { numRuns: runs(60) },
    );
  });

  it('are for one room, one key, one member and one message', () => {
    const otherRooms = [
      { ...room, kind: 'group' },
      { ...room, id: message.messageId },
    ];
    for (const other of otherRooms) {
      expectCryptoError(() => openRoomKey(privateKey, wrapped, { room: other, keyId }, memberId));
      expectCryptoError(() => openMessage(key, other, message, sealed));
    }
    expectCryptoError(() => openRoomKey(privateKey, wrapped, { room, keyId: room.id }, memberId));
    expectCryptoError(() => openRoomKey(privateKey, wrapped, name, message.senderId));
    expectCryptoError(() => openRoomKey(generateKeyPair().privateKey, wrapped, name, memberId));
    const otherMessages = [{ epoch: 8 }, { senderId: memberId }, { messageId: room.id }, { revision: 0 }];
    for (const change of otherMessages)
      expectCryptoError(() => openMessage(key, room, { ...message, ...change }, sealed));
    expectCryptoError(() => openMessage(new Uint8Array(32), room, message, sealed));
  });

  it('are named by hex and nothing else, so that no two places have the same name', () => {
    const bad = ['', 'A0', '0', '00\u000000', '0g', '00'.repeat(33)];
    for (const id of bad) {
      expectCryptoError(() => sealMessage(key, { ...room, id }, message, utf8('x')), 'ids must be lower-case hex');
      expectCryptoError(
        () => sealMessage(key, room, { ...message, senderId: id }, utf8('x')),
        'ids must be lower-case hex',
      );
      expectCryptoError(() => wrapContext({ room, keyId: id }, memberId), 'ids must be lower-case hex');
      expectCryptoError(() => digestOfMembers([id]), 'ids must be lower-case hex');
    }
    for (const kind of ['', 'Hub', 'hub\0a', 'a'.repeat(33)])
      expectCryptoError(() => sealMessage(key, { ...room, kind }, message, utf8('x')));
    for (const epoch of [0, -1, 1.5, Number.NaN])
      expectCryptoError(() => sealMessage(key, room, { ...message, epoch }, utf8('x')));
  });

  it('seal secrets of the room, each for its purpose alone', () => {
    const secret = { epoch: 7, purpose: 'search' };
    const hidden = sealRoomSecret(key, room, secret, utf8('x'));
    expect(fromUtf8(openRoomSecret(key, room, secret, hidden))).toBe('x');
    for (const change of [{ epoch: 8 }, { purpose: 'other' }])
      expectCryptoError(() => openRoomSecret(key, room, { ...secret, ...change }, hidden));
    expectCryptoError(() => openRoomSecret(key, { ...room, id: memberId }, secret, hidden));
    expectCryptoError(() => openRoomSecret(new Uint8Array(32), room, secret, hidden));
    // It is no message, whatever the message says of itself.
    expectCryptoError(() => openMessage(key, room, message, hidden));
    for (const purpose of ['', 'Search', 'a\0b'])
      expectCryptoError(() => sealRoomSecret(key, room, { epoch: 7, purpose }, utf8('x')));
  });

  it('have 32 bytes', () => {
    const pair = generateKeyPair();
    const short = eciesEncrypt(pair.publicKey, new Uint8Array(31), wrapContext(name, memberIdOf(pair.publicKey)));
    expectCryptoError(() => openRoomKey(pair.privateKey, short, name, memberIdOf(pair.publicKey)));
    expectCryptoError(() => sealMessage(new Uint8Array(16), room, message, utf8('x')));
  });

  it('are encrypted to many members with one ephemeral key and never the same bytes', () => {
    const encrypt = eciesEncrypter();
    const pairs = [generateKeyPair(), generateKeyPair()] as const;
    const made = [pairs[0], pairs[0], pairs[1]].map(({ publicKey, privateKey: own }) => {
      const id = memberIdOf(publicKey);
      const wrap = encrypt(publicKey, key, wrapContext(name, id));
      expect(openRoomKey(own, wrap, name, id)).toEqual(key);
      return toHex(wrap);
    });
    expect(new Set(made.map((wrap) => wrap.slice(6, 72))).size).toBe(1);
    expect(new Set(made.map((wrap) => wrap.slice(72))).size).toBe(3);
  });
});
