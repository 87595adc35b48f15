import type { Author, Authors } from './authors.ts';
import { concat, fromUtf8, toHex, utf8 } from '../crypto/bytes.ts';
import { canonicalJson } from '../crypto/canonical-json.ts';
import { sha256 } from '../crypto/hash.ts';
import type { KeyPair } from '../crypto/key-pair.ts';
import { nodeIdOf } from '../crypto/public-key.ts';
import { sign, SIGNATURE_LENGTH } from '../crypto/signature.ts';
import type { Announcement } from './port.ts';

/** A signed message of a node to all others. On the wire: 64 bytes of signature (r‖s), then the content as canonical JSON. */
export interface Envelope extends Announcement {
  /** signature and content, as sent over the wire */
  readonly bytes: Uint8Array;
}

/** An envelope that came from elsewhere. */
export interface ReadEnvelope extends Envelope {
  readonly author: Author;
}

export type EnvelopeFault = 'size' | 'format' | 'key';

const DOMAIN = utf8('conclave/gossip/v1\n');
const TYPE = /^[a-z0-9_]{1,40}$/;
const NONCE_LENGTH = 16;
const FIELDS = 'nodeId,nonce,payload,publicKey,timestamp,type';

/**
 * @param payload JSON
 * @param nonce 16 bytes, so that two announcements with the same payload are different
 * @throws CryptoError when the payload isn't JSON
 */
export function sealEnvelope(
  identity: KeyPair,
  { type, payload, timestamp, nonce }: { type: string; payload: unknown; timestamp: number; nonce: Uint8Array },
): Envelope {
  if (!TYPE.test(type)) throw new Error('the type of an announcement is lower-case letters, digits and underscores');
  const nodeId = nodeIdOf(identity.publicKey);
  const publicKey = toHex(identity.publicKey);
  const content = utf8(canonicalJson({ type, payload, nodeId, publicKey, timestamp, nonce: toHex(nonce) }));
  const bytes = concat(sign(identity.privateKey, concat(DOMAIN, content)), content);
  return { id: toHex(sha256(content)), type, nodeId, timestamp, payload, bytes };
}

/** The content of an envelope, or the reason why it is not valid. It does not check the signature: see `isAuthentic`. */
export function readEnvelope(bytes: Uint8Array, maxBytes: number, authors: Authors): ReadEnvelope | EnvelopeFault {
  if (bytes.length > maxBytes) return 'size';
  const content = contentOf(bytes);
  if (content === undefined) return 'format';
  const { type, payload, nodeId, timestamp } = content;
  const author = authors.byKey(content.publicKey);
  if (author?.nodeId !== nodeId) return 'key';
  return { id: envelopeId(bytes), type, nodeId, timestamp, payload, author, bytes };
}

/** Whether the envelope is signed by the node that it names. This takes half a millisecond, so make cheaper checks first. */
export function isAuthentic({ author, bytes }: ReadEnvelope): boolean {
  return author.verify(concat(DOMAIN, bytes.subarray(SIGNATURE_LENGTH)), bytes.subarray(0, SIGNATURE_LENGTH));
}

/** SHA-256 of the content, hex. It does not cover the signature, so a new signature gives the same id. */
export function envelopeId(bytes: Uint8Array): string {
  return toHex(sha256(bytes.subarray(SIGNATURE_LENGTH)));
}

interface Content {
  readonly type: string;
  readonly payload: unknown;
  readonly nodeId: string;
  readonly publicKey: string;
  readonly timestamp: number;
  readonly nonce: string;
}

function contentOf(bytes: Uint8Array): Content | undefined {
  try {
    const text = fromUtf8(bytes.subarray(SIGNATURE_LENGTH));
    const value: unknown = JSON.parse(text);
    // Only the canonical form is accepted. In other forms, a duplicate key could be read in two ways.
    return isContent(value) && canonicalJson(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function isContent(value: unknown): value is Content {
  if (typeof value !== 'object' || value === null || Object.keys(value).toSorted().join() !== FIELDS) return false;
  const { type, nodeId, publicKey, timestamp, nonce } = value as Record<string, unknown>;
  return (
    typeof type === 'string' &&
    TYPE.test(type) &&
    isHex(nodeId, 20) &&
    isHex(publicKey, 33) &&
    isHex(nonce, NONCE_LENGTH) &&
    Number.isSafeInteger(timestamp) &&
    (timestamp as number) >= 0
  );
}

function isHex(value: unknown, bytes: number): boolean {
  return typeof value === 'string' && value.length === bytes * 2 && /^[0-9a-f]*$/.test(value);
}
