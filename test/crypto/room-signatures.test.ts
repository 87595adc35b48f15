import { createHash, createPublicKey, verify as verifyWithOpenSsl } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/crypto/bytes.ts';
import { memberIdOf, uncompressPublicKey } from '../../src/crypto/public-key.ts';
import { digestOfMembers } from '../../src/crypto/room-keys.ts';
import {
  epochStatement,
  keyIdOf,
  messageStatement,
  safetyNumber,
  type SignedEpoch,
} from '../../src/crypto/room-signatures.ts';
import { recoverMemberKey, sign, verify } from '../../src/crypto/signature.ts';
import vector from '../vectors/room-signatures.json' with { type: 'json' };
import { runs } from '../support/stage.ts';
import { damaged, expectCryptoError } from './damage.ts';

const { room, memberId, message, membersDigest } = vector;
const privateKey = fromHex(vector.privateKey);
const sealed = fromHex(vector.sealed);
const publicKeys = vector.publicKeys.map((text) => fromHex(text));
const publicKey = fromHex(vector.publicKeys[0]!);
const first: SignedEpoch = { room, epoch: 1, keyId: vector.keyId, previousKeyId: undefined, membersDigest };
const second: SignedEpoch = { room, epoch: 2, keyId: vector.nextKeyId, previousKeyId: vector.keyId, membersDigest };

const otherId = '00'.repeat(16);
const changedEpochs: readonly Partial<SignedEpoch>[] = [
  { room: { ...room, kind: 'hub' } },
  { room: { ...room, id: otherId } },
  { epoch: 3 },
  { keyId: vector.keyId },
  { previousKeyId: vector.nextKeyId },
  { previousKeyId: undefined },
  { membersDigest: '00'.repeat(32) },
];
const changedMessages = [
  { epoch: 8 },
  { senderId: vector.members[1]! },
  { messageId: otherId },
  { revision: 0 },
  { revision: 3 },
];

/** The vector was made by a program in another language, with a curve of its own, from the layout alone. */
describe('what members of a room sign', () => {
  it('is the same for another program: statements, ids, digests, numbers and signatures', () => {
    expect(keyIdOf(fromHex(vector.key))).toBe(vector.keyId);
    expect(keyIdOf(fromHex(vector.nextKey))).toBe(vector.nextKeyId);
    expect(memberIdOf(publicKey)).toBe(memberId);
    expect(digestOfMembers(vector.members)).toBe(membersDigest);
    expect(toHex(epochStatement(first))).toBe(vector.firstEpoch.statement);
    expect(toHex(epochStatement(second))).toBe(vector.secondEpoch.statement);
    expect(toHex(sign(privateKey, epochStatement(first)))).toBe(vector.firstEpoch.signature);
    expect(toHex(sign(privateKey, epochStatement(second)))).toBe(vector.secondEpoch.signature);
    const statement = messageStatement(room, message, sealed);
    expect(toHex(statement)).toBe(vector.messageStatement);
    expect(toHex(sign(privateKey, statement))).toBe(vector.messageSignature);
    expect(safetyNumber(room, publicKeys)).toBe(vector.safetyNumber);
  });

  it('is verified by the libraries themselves', () => {
    const statement = fromHex(vector.messageStatement);
    const signature = fromHex(vector.messageSignature);
    const digest = createHash('sha256').update(statement).digest();
    expect(secp256k1.verify(signature, digest, publicKey, { prehash: false })).toBe(true);
    const point = uncompressPublicKey(publicKey);
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => Buffer.from(half).toString('base64url'));
    const key = createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x: x!, y: y! }, format: 'jwk' });
    expect(verifyWithOpenSsl('sha256', statement, { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
    const named = createHash('sha256').update('conclave/member-room-key/v1\0').update(fromHex(vector.key));
    expect(vector.keyId).toBe(named.digest('hex').slice(0, 32));
  });

  it('names its author, and nobody else', () => {
    const signature = fromHex(vector.secondEpoch.signature);
    expect(recoverMemberKey(signature, epochStatement(second), memberId)).toEqual(publicKey);
    expect(recoverMemberKey(signature, epochStatement(second), vector.members[1]!)).toBeUndefined();
  });

  it('is of one key, one place in the order of keys, and one list of members', () => {
    const signature = fromHex(vector.secondEpoch.signature);
    for (const change of changedEpochs) {
      const statement = epochStatement({ ...second, ...change });
      expect(verify(publicKey, statement, signature), JSON.stringify(change)).toBe(false);
      expect(recoverMemberKey(signature, statement, memberId), JSON.stringify(change)).toBeUndefined();
    }
  });

  it('is of one message in one place', () => {
    const signature = fromHex(vector.messageSignature);
    const isOf = (...parts: Parameters<typeof messageStatement>) =>
      recoverMemberKey(signature, messageStatement(...parts), memberId) !== undefined;
    expect(isOf(room, message, sealed)).toBe(true);
    for (const change of changedMessages) expect(isOf(room, { ...message, ...change }, sealed)).toBe(false);
    expect(isOf({ ...room, id: otherId }, message, sealed)).toBe(false);
    expect(isOf({ ...room, kind: 'hub' }, message, sealed)).toBe(false);
    fc.assert(
      fc.property(damaged(sealed), (other) => !isOf(room, message, other)),
      { numRuns: runs(40) },
    );
  });

  it('is never both a key and a message, and not what another room is sealed for', () => {
    const all = [epochStatement(first), epochStatement(second), messageStatement(room, message, sealed)].map(toHex);
    expect(new Set(all).size).toBe(3);
  });

  it('has a number that does not depend on the order, and changes with the room and with each member', () => {
    expect(safetyNumber(room, publicKeys.toReversed())).toBe(vector.safetyNumber);
    expect(vector.safetyNumber).toMatch(/^\d{5}(?: \d{5}){11}$/);
    const others = [
      safetyNumber({ ...room, id: otherId }, publicKeys),
      safetyNumber({ ...room, kind: 'hub' }, publicKeys),
      ...publicKeys.map((_, left) => safetyNumber(room, publicKeys.toSpliced(left, 1))),
      safetyNumber(room, [...publicKeys, publicKey]),
    ];
    expect(new Set([...others, vector.safetyNumber]).size).toBe(others.length + 1);
  });

  it('is refused where it has another form', () => {
    const bad = ['', 'A0', '0', '00\u000000', '0g', '00'.repeat(33)];
    for (const id of bad) {
      const reason = 'ids must be lower-case hex';
      expectCryptoError(() => epochStatement({ ...second, room: { ...room, id } }), reason);
      expectCryptoError(() => epochStatement({ ...second, keyId: id }), reason);
      expectCryptoError(() => epochStatement({ ...second, previousKeyId: id }), reason);
      expectCryptoError(() => epochStatement({ ...second, membersDigest: id }), reason);
      expectCryptoError(() => messageStatement(room, { ...message, senderId: id }, sealed), reason);
      expectCryptoError(() => messageStatement(room, { ...message, messageId: id }, sealed), reason);
      expectCryptoError(() => safetyNumber({ ...room, id }, publicKeys), reason);
    }
    for (const kind of ['', 'Hub', 'hub\0a', 'a'.repeat(33)]) {
      const reason = 'the kind of a room must be lower-case letters and hyphens';
      expectCryptoError(() => epochStatement({ ...second, room: { ...room, kind } }), reason);
      expectCryptoError(() => safetyNumber({ ...room, kind }, publicKeys), reason);
    }
    for (const epoch of [0, -1, 1.5, Number.NaN, 2 ** 53]) {
      expectCryptoError(() => epochStatement({ ...second, epoch }));
      expectCryptoError(() => messageStatement(room, { ...message, epoch }, sealed));
    }
    for (const revision of [-1, 1.5, 2 ** 53])
      expectCryptoError(() => messageStatement(room, { ...message, revision }, sealed));
    expectCryptoError(() => keyIdOf(new Uint8Array(31)), 'key must have 32 bytes, not 31');
    expectCryptoError(() => safetyNumber(room, [new Uint8Array(65)]), 'public key must have 33 bytes, not 65');
  });
});
