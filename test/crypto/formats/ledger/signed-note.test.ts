import { describe, expect, it } from 'vitest';
import { ed25519KeyPair } from '../../../../src/crypto/ed25519.ts';
import { deriveNodeKeys } from '../../../../src/config/node-keys.ts';
import { emptyRoot, leafHash } from '../../../../src/crypto/merkle.ts';
import {
  ED25519_TYPE,
  parseVerifierKey,
  writeVerifierKey,
  type VerifierKey,
} from '../../../../src/crypto/verifier-key.ts';
import {
  isSignedByNode,
  parseCheckpoint,
  signCheckpoint,
  writeCheckpoint,
} from '../../../../src/crypto/formats/ledger/checkpoint.ts';
import { chainIdOf, logKeyOf } from '../../../../src/crypto/formats/ledger/log-key.ts';
import { isSignedBy, parseNote, signText, writeNote } from '../../../../src/crypto/formats/ledger/signed-note.ts';
import { checkpointExamples, notes } from '../../../vectors/signed-notes.ts';

const { peter } = notes;
const key = parseVerifierKey(peter.verifierKey) as VerifierKey;

describe('signed notes', () => {
  it('are written as the reference implementation writes them', () => {
    const pair = ed25519KeyPair(Uint8Array.from(Buffer.from(peter.seed, 'hex')));
    expect(writeVerifierKey('PeterNeumann', 1, pair.publicKey)).toBe(peter.verifierKey);
    const note = writeNote({ text: peter.text, signatures: [signText(peter.text, 'PeterNeumann', pair)] });
    expect(note).toBe(`${peter.text}\n${peter.signature}`);
  });

  it('are read and verified as it does', () => {
    const note = parseNote(`${peter.text}\n${peter.signature}`);
    expect(note?.text).toBe(peter.text);
    expect(isSignedBy(note!, key)).toBe(true);
    const bytes = parseNote(Buffer.from(`${peter.text}\n${peter.signature}`));
    expect(bytes).toEqual(note);
  });

  it.each(notes.signed)('verify for $verifierKey', ({ verifierKey, note }) => {
    expect(isSignedBy(parseNote(note)!, parseVerifierKey(verifierKey)!)).toBe(true);
  });

  it('ignore signatures of strangers, and refuse wrong ones of the key', () => {
    const stranger = peter.signature.replace('PeterNeumann', 'SomebodyElse');
    const wrong = peter.signature.replace('nAM=', 'nAE=');
    const signedBy = (lines: string) => isSignedBy(parseNote(`${peter.text}\n${lines}`)!, key);
    expect(signedBy(peter.signature + stranger)).toBe(true);
    expect(signedBy(stranger)).toBe(false);
    expect(signedBy(wrong)).toBe(false);
    expect(signedBy(peter.signature + wrong)).toBe(false);
    expect(isSignedBy(parseNote(`${peter.text.replace('crypto', 'Crypto')}\n${peter.signature}`)!, key)).toBe(false);
  });

  it('with every bit of text or signature changed are refused', () => {
    const bytes = Buffer.from(`${peter.text}\n${peter.signature}`);
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 7);
      const note = parseNote(changed);
      expect(note !== undefined && isSignedBy(note, key), `byte ${at}`).toBe(false);
    }
  });

  it.each(notes.malformed)('refuse %j', (text) => {
    expect(parseNote(text)).toBeUndefined();
  });

  it('refuse text that is not UTF-8, and more signatures than anybody makes', () => {
    expect(
      parseNote(Buffer.concat([Buffer.from([0xff]), Buffer.from(`${peter.text}\n${peter.signature}`)])),
    ).toBeUndefined();
    expect(parseNote(`${peter.text}\n${peter.signature.repeat(100)}`)).toBeDefined();
    expect(parseNote(`${peter.text}\n${peter.signature.repeat(101)}`)).toBeUndefined();
  });
});

describe('verifier keys', () => {
  it('refuse every part and every change of a right one', () => {
    const right = peter.verifierKey;
    for (let from = 0; from <= right.length; from += 1)
      for (let to = from + 1; to <= right.length; to += 1)
        if (to - from < right.length) expect(parseVerifierKey(right.slice(from, to))).toBeUndefined();
    for (let at = 0; at < right.length; at += 1) {
      const next = String.fromCharCode(right.charCodeAt(at) + 1);
      expect(parseVerifierKey(right.slice(0, at) + next + right.slice(at + 1))).toBeUndefined();
    }
  });

  it.each(notes.badKeys)('refuse %s', (text) => {
    expect(parseVerifierKey(text)).toBeUndefined();
  });

  it('refuse another type and another length, with the hash that such a key has', () => {
    const parsed = (type: number, length: number) =>
      parseVerifierKey(writeVerifierKey('a.example', type, new Uint8Array(length).fill(7)));
    expect(parsed(ED25519_TYPE, 32)?.key).toHaveLength(32);
    for (const length of [0, 1, 31, 33, 64]) expect(parsed(ED25519_TYPE, length), `${length} bytes`).toBeUndefined();
    for (const type of [0, 2, 4, 0x65, 0xff]) expect(parsed(type, 32), `type ${type}`).toBeUndefined();
  });
});

describe('checkpoints', () => {
  it.each(checkpointExamples)('read the published one of $origin', ({ note, origin, size, root }) => {
    const checkpoint = parseCheckpoint(parseNote(note)!.text);
    expect(checkpoint).toMatchObject({ origin, size });
    expect(Buffer.from(checkpoint!.root).toString('base64')).toBe(root);
  });

  const keys = deriveNodeKeys(new Uint8Array(32).fill(7));
  const root = leafHash(Buffer.from('x'));

  it('carry the signatures of the log key and of the node, the same each time', () => {
    const signed = signCheckpoint(keys, 123, root);
    expect(signCheckpoint(keys, 123, root)).toBe(signed);
    const note = parseNote(signed)!;
    const logKey = parseVerifierKey(logKeyOf(keys))!;
    expect(note.signatures).toHaveLength(2);
    expect(isSignedBy(note, logKey)).toBe(true);
    expect(isSignedByNode(note, logKey.name, keys.identity.publicKey)).toBe(true);
    const other = deriveNodeKeys(new Uint8Array(32).fill(8));
    expect(isSignedBy(note, parseVerifierKey(logKeyOf(other))!)).toBe(false);
    expect(isSignedByNode(note, logKey.name, other.identity.publicKey)).toBe(false);
    expect(parseCheckpoint(note.text)).toEqual({ origin: `conclave/${keys.nodeId}`, size: 123, root });
    expect(chainIdOf(logKeyOf(keys))).toMatch(/^[0-9a-f]{64}$/);
  });

  it('of another size or root have other signatures', () => {
    const [one, size, hash] = [
      signCheckpoint(keys, 1, root),
      signCheckpoint(keys, 2, root),
      signCheckpoint(keys, 1, emptyRoot()),
    ];
    for (const other of [size, hash]) {
      const mixed = parseNote(other.slice(0, other.indexOf('\n\n') + 2) + one.slice(one.indexOf('\n\n') + 2))!;
      expect(isSignedBy(mixed, parseVerifierKey(logKeyOf(keys))!)).toBe(false);
      expect(isSignedByNode(mixed, `conclave/${keys.nodeId}`, keys.identity.publicKey)).toBe(false);
    }
  });

  it.each([
    'a.example\n1\n',
    'a.example\n01\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n',
    'a.example\n-1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n',
    'a.example\n99999999999999999999\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n',
    'a.example\n1\nAAAA\n',
    'a.example\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=\n',
    '\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n',
    'a.example\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\nx\n',
    'a.example\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  ])('refuse %j', (text) => {
    expect(parseCheckpoint(text)).toBeUndefined();
  });

  it('allow extension lines', () => {
    const text = writeCheckpoint({ origin: 'a.example', size: 0, root: emptyRoot() });
    expect(parseCheckpoint(`${text}more\n`)).toMatchObject({ size: 0 });
  });
});
