import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, toHex, utf8 } from '../../../src/crypto/bytes.ts';
import { canonicalJson } from '../../../src/crypto/canonical-json.ts';
import { generateKeyPair, keyPairFromSecret } from '../../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../../src/crypto/public-key.ts';
import { CURVE_ORDER } from '../../../src/crypto/secp256k1.ts';
import { sign } from '../../../src/crypto/signature.ts';
import { createAuthors } from '../../../src/platform/network/authors.ts';
import {
  envelopeId,
  isAuthentic,
  readEnvelope,
  sealableItem,
  sealEnvelope,
  type ReadEnvelope,
} from '../../../src/platform/network/envelope.ts';
import { runs } from '../../support/stage.ts';

const MAX = 65_536;
const identity = keyPairFromSecret(utf8('a secret for this test alone'), 'test');
const nonce = new Uint8Array(16).fill(7);
const sealed = sealEnvelope(identity, { items: [sealableItem('test', { a: 1 })], timestamp: 1_000, nonce });

function read(bytes: Uint8Array): ReadEnvelope | string {
  return readEnvelope(bytes, MAX, createAuthors());
}

/** Whether a receiver would believe it. */
function believed(bytes: Uint8Array): boolean {
  const envelope = read(bytes);
  return typeof envelope !== 'string' && isAuthentic(envelope);
}

/** Anything, signed as an envelope is. */
function signed(content: string): Uint8Array {
  const bytes = utf8(content);
  return concat(sign(identity.privateKey, concat(utf8('conclave/gossip/v2\n'), bytes)), bytes);
}

const content = {
  announcements: [{ type: 'test', payload: null }],
  nodeId: nodeIdOf(identity.publicKey),
  publicKey: toHex(identity.publicKey),
  timestamp: 1_000,
  nonce: toHex(nonce),
};

describe('envelopes', () => {
  it('give back what was sealed, for any JSON, each with an id of its own', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 5 }), fc.nat(), (values, timestamp) => {
        const payloads: unknown[] = values.map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        const items = payloads.map((payload, at) => sealableItem(`test_${at}`, payload));
        const sealedOnes = sealEnvelope(identity, { items, timestamp, nonce });
        const back = read(sealedOnes.bytes) as ReadEnvelope;
        const nodeId = nodeIdOf(identity.publicKey);
        expect(back).toMatchObject({ id: sealedOnes.id, timestamp, nodeId });
        expect(back.announcements).toEqual(sealedOnes.announcements);
        expect(back.announcements).toEqual(
          payloads.map((payload, at) => ({ id: expect.any(String), type: `test_${at}`, nodeId, timestamp, payload })),
        );
        expect(new Set([back.id, ...back.announcements.map(({ id }) => id)]).size).toBe(payloads.length + 1);
        expect(isAuthentic(back)).toBe(true);
        for (const [at, { payloadBytes }] of items.entries())
          expect(payloadBytes).toBe(utf8(canonicalJson(payloads[at])).length);
      }),
      { numRuns: runs(50) },
    );
  });

  it('hold nothing that receivers would refuse for its depth or form', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 253; level += 1) deep = [deep];
    const { bytes } = sealEnvelope(identity, { items: [sealableItem('test', deep)], timestamp: 1, nonce });
    expect(believed(bytes)).toBe(true);
    expect(() => sealableItem('test', [deep])).toThrow('too deep');
    expect(() => sealableItem('test', undefined)).toThrow('JSON');
    expect(() => sealableItem('No Type', 1)).toThrow('name of a topic');
  });

  it('are refused when any byte of them is another one', () => {
    for (let at = 0; at < sealed.bytes.length; at += 1) {
      const changed = sealed.bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(believed(changed), `byte ${at}`).toBe(false);
    }
    expect(believed(sealed.bytes)).toBe(true);
  });

  it('are refused with the other signature that ECDSA has for the same content', () => {
    const s = BigInt(`0x${toHex(sealed.bytes.subarray(32, 64))}`);
    const high = Buffer.from((CURVE_ORDER - s).toString(16).padStart(64, '0'), 'hex');
    const changed = sealed.bytes.slice();
    changed.set(high, 32);
    expect(envelopeId(changed)).toBe(sealed.id);
    expect(believed(changed)).toBe(false);
  });

  it('never throw and never believe garbage', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(read(bytes)).toBe('format');
        expect(read(concat(sealed.bytes, bytes)) === 'format' || bytes.length === 0).toBe(true);
        expect(believed(sealed.bytes.subarray(0, sealed.bytes.length - 1 - bytes.length))).toBe(false);
      }),
    );
  });

  it('say why they are refused', () => {
    const other = generateKeyPair();
    const off = `02${'ff'.repeat(32)}`;
    expect(read(signed(canonicalJson(content)))).toMatchObject({ nodeId: content.nodeId });
    expect(read(signed(JSON.stringify(content)))).toBe('format');
    expect(read(signed(canonicalJson(content).replace('{', '{"timestamp":1,')))).toBe('format');
    expect(read(signed(canonicalJson({ ...content, more: 1 })))).toBe('format');
    const [item] = content.announcements;
    for (const announcements of [
      [],
      item,
      [{ ...item, type: 'No Type' }],
      [{ type: 'test' }],
      [{ ...item, more: 1 }],
      Array(257).fill(item),
    ])
      expect(read(signed(canonicalJson({ ...content, announcements })))).toBe('format');
    expect(read(signed(canonicalJson({ ...content, announcements: Array(256).fill(item) })))).toMatchObject({});
    expect(read(signed(canonicalJson({ ...content, timestamp: 1.5 })))).toBe('format');
    expect(read(signed(canonicalJson({ ...content, nonce: 'ff' })))).toBe('format');
    expect(read(signed(canonicalJson({ ...content, publicKey: toHex(other.publicKey) })))).toBe('key');
    expect(read(signed(canonicalJson({ ...content, nodeId: '00'.repeat(20) })))).toBe('key');
    expect(read(signed(canonicalJson({ ...content, publicKey: off })))).toBe('key');
    expect(readEnvelope(sealed.bytes, sealed.bytes.length - 1, createAuthors())).toBe('size');
  });

  it('are not those of another key that says it is this node', () => {
    const other = generateKeyPair();
    const bytes = utf8(canonicalJson(content));
    const forged = concat(sign(other.privateKey, concat(utf8('conclave/gossip/v2\n'), bytes)), bytes);
    expect(read(forged)).toMatchObject({ nodeId: content.nodeId });
    expect(believed(forged)).toBe(false);
  });
});
