import { describe, expect, it } from 'vitest';
import { deriveNodeKeys } from '../../../src/config/node-keys.ts';
import { systemRandom, toHex } from '../../../src/crypto/bytes.ts';
import { CryptoError } from '../../../src/crypto/crypto-error.ts';
import { keyOfOffer, offerKey } from '../../../src/services/mail/network/offer-keys.ts';

const nodeWith = (now: () => number) => {
  const keys = deriveNodeKeys(systemRandom(32));
  const receiver = { nodeId: keys.nodeId, publicKey: toHex(keys.identity.publicKey) };
  return { keys, random: systemRandom, clock: { now }, receiver };
};

describe('keys of offers', () => {
  it('are the same at both nodes, and of one offer alone', () => {
    const [from, to] = [nodeWith(() => 1_000), nodeWith(() => 1_000)];
    const [one, two] = ['1', '2'].map((digit) => offerKey(from, digit.repeat(32), to.receiver));
    const text = Buffer.from(one!.encryptedSecret).toString('base64');
    expect(keyOfOffer(to, '1'.repeat(32), from.keys.nodeId, text)).toEqual(one!.key);
    expect(keyOfOffer(to, '2'.repeat(32), from.keys.nodeId, text)).toEqual(two!.key);
    expect(one!.key).not.toEqual(two!.key);
    expect(one!.encryptedSecret).toEqual(two!.encryptedSecret);
  });

  it('open nothing for another node, or in the name of another one', () => {
    const [from, to, other] = [nodeWith(() => 1_000), nodeWith(() => 1_000), nodeWith(() => 1_000)];
    const { encryptedSecret } = offerKey(from, '1'.repeat(32), to.receiver);
    const text = Buffer.from(encryptedSecret).toString('base64');
    expect(() => keyOfOffer(other, '1'.repeat(32), from.keys.nodeId, text)).toThrow(CryptoError);
    expect(() => keyOfOffer(to, '1'.repeat(32), other.keys.nodeId, text)).toThrow(CryptoError);
  });

  it('come from a new secret after a minute, after the clock went back, and for another key', () => {
    let now = 1_000;
    const from = nodeWith(() => now);
    const [to, other] = [nodeWith(() => now), nodeWith(() => now)];
    const secret = (receiver = to.receiver) => toHex(offerKey(from, '1'.repeat(32), receiver).encryptedSecret);
    const first = secret();
    now += 59_999;
    expect(secret()).toBe(first);
    now += 1;
    const second = secret();
    expect(second).not.toBe(first);
    now -= 1;
    const third = secret();
    expect(third).not.toBe(second);
    const anew = secret({ ...to.receiver, publicKey: other.receiver.publicKey });
    expect(anew).not.toBe(third);
  });
});
