import { toHex, utf8 } from './bytes.ts';
import { sha256 } from './hash.ts';

/** The verifier keys of signed notes (https://c2sp.org/signed-note). A log is identified by the text form of its key. */

/** A key that signatures are checked against. In the text form, `type` and `key` follow the name and the hash. */
export interface VerifierKey {
  readonly name: string;
  readonly keyId: Uint8Array;
  readonly type: number;
  readonly key: Uint8Array;
}

/** The types of https://c2sp.org/signed-note and https://c2sp.org/tlog-cosignature. Both hold an Ed25519 key. */
export const ED25519_TYPE = 0x01;
export const COSIGNATURE_TYPE = 0x04;

/** First 4 bytes of SHA-256 over name, newline, type and key. */
export function keyIdOf(name: string, type: number, key: Uint8Array): Uint8Array {
  return sha256(utf8(`${name}\n`), Uint8Array.of(type), key).slice(0, 4);
}

/** The text form of a verifier key: `name+hash+key`. */
export function writeVerifierKey(name: string, type: number, key: Uint8Array): string {
  return `${name}+${toHex(keyIdOf(name, type, key))}+${base64(Uint8Array.of(type, ...key))}`;
}

/** Parses an Ed25519 verifier key of one type from its text form; undefined for anything else. */
export function parseVerifierKey(text: string, wanted: number = ED25519_TYPE): VerifierKey | undefined {
  const match = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/u.exec(text);
  const [, name, id, encoded] = match ?? [];
  const bytes = encoded === undefined ? undefined : fromBase64(encoded);
  if (name === undefined || bytes === undefined || !isKeyName(name)) return undefined;
  const [type, key] = [bytes[0], bytes.slice(1)];
  if (type !== wanted || key.length !== 32) return undefined;
  const keyId = keyIdOf(name, type, key);
  return toHex(keyId) === id ? { name, keyId, type, key } : undefined;
}

/** The name of a log of a node, in the form of a schema-less URL. The first log of a node has no tag. */
export function logOriginOf(nodeId: string, tag = ''): string {
  return tag === '' ? `conclave/${nodeId}` : `conclave/${nodeId}/${tag}`;
}

/** The tag of a log by its name; undefined when it is not the name of a log of this node. */
export function logTagOf(nodeId: string, origin: string): string | undefined {
  if (origin === logOriginOf(nodeId)) return '';
  const tag = origin.slice(`conclave/${nodeId}/`.length);
  return /^[0-9a-f]{16}$/.test(tag) && origin === logOriginOf(nodeId, tag) ? tag : undefined;
}

/** The name of a node as a witness. */
export function witnessNameOf(nodeId: string): string {
  return `conclave/${nodeId}/witness`;
}

/** Whether a key may have this name: not empty, no spaces, no plus. */
export function isKeyName(name: string): boolean {
  return name !== '' && !/[\s+]|\p{White_Space}/u.test(name);
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** Decodes canonical base64; undefined for anything else. */
export function fromBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? Uint8Array.from(bytes) : undefined;
}
