import type { Author, Authors } from './authors.ts';
import { concat, fromHex, fromUtf8, toHex, uint32, utf8 } from '../../crypto/bytes.ts';
import { canonicalJson } from '../../crypto/canonical-json.ts';
import { sha256 } from '../../crypto/hash.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { nodeIdOf } from '../../crypto/public-key.ts';
import { sign, SIGNATURE_LENGTH } from '../../crypto/signature.ts';
import type { Announcement } from '../../service/ports/network.ts';
import { isTopicName } from './topics.ts';

/**
 * What a node announced within a few milliseconds, under one signature. On the wire: 64 bytes of signature (r‖s), then the content as
 * canonical JSON.
 */
export interface Envelope {
  /** SHA-256 of the content, hex */
  readonly id: string;
  /** the author, who signed it */
  readonly nodeId: string;
  readonly timestamp: number;
  readonly announcements: readonly Announcement[];
  /** signature and content, as sent over the wire */
  readonly bytes: Uint8Array;
}

/** An envelope that came from elsewhere. */
export interface ReadEnvelope extends Envelope {
  readonly author: Author;
}

export type EnvelopeFault = 'size' | 'format' | 'key';

/** One announcement as canonical JSON, checked and measured before it waits for its envelope. */
export interface SealableItem {
  readonly type: string;
  readonly text: string;
  /** of the payload alone */
  readonly payloadBytes: number;
}

/** Announcements of one envelope. */
export const MAX_ITEMS = 256;
/** The bytes of an envelope beside its announcements: signature, keys, and the names of the fields. */
export const ENVELOPE_OVERHEAD = 512;

const DOMAIN = utf8('conclave/gossip/v2\n');
const NONCE_LENGTH = 16;
const FIELDS = 'announcements,nodeId,nonce,publicKey,timestamp';

/**
 * @param payload JSON
 * @throws CryptoError when the payload isn't JSON
 */
export function sealableItem(type: string, payload: unknown): SealableItem {
  if (!isTopicName(type)) throw new Error('the name of a topic is lower-case letters, digits and underscores');
  // As deep as it is in the envelope: what is too deep is refused here, and not by every receiver.
  const text = canonicalJson([[{ type, payload }]]).slice(2, -2);
  const around = `{"payload":,"type":"${type}"}`.length;
  return { type, text, payloadBytes: Buffer.byteLength(text) - around };
}

/**
 * @param nonce 16 bytes, so that two envelopes with the same announcements are different
 * @param nodeId of the identity, where it is known
 */
export function sealEnvelope(
  identity: KeyPair,
  { items, timestamp, nonce }: { items: readonly SealableItem[]; timestamp: number; nonce: Uint8Array },
  nodeId = nodeIdOf(identity.publicKey),
): Envelope {
  const rest = canonicalJson({ nodeId, nonce: toHex(nonce), publicKey: toHex(identity.publicKey), timestamp });
  // The other fields sort after this one.
  const content = utf8(`{"announcements":[${items.map(({ text }) => text).join(',')}],${rest.slice(1)}`);
  const bytes = concat(sign(identity.privateKey, concat(DOMAIN, content)), content);
  const id = toHex(sha256(content));
  const said = items.map(({ text }) => JSON.parse(text) as Item);
  return { id, nodeId, timestamp, announcements: announcementsOf(said, { id, nodeId, timestamp }), bytes };
}

/** The content of an envelope, or the reason why it is not valid. It does not check the signature: see `isAuthentic`. */
export function readEnvelope(bytes: Uint8Array, maxBytes: number, authors: Authors): ReadEnvelope | EnvelopeFault {
  if (bytes.length > maxBytes) return 'size';
  const content = contentOf(bytes);
  if (content === undefined) return 'format';
  const { announcements: items, nodeId, timestamp } = content;
  const author = authors.byKey(content.publicKey);
  if (author?.nodeId !== nodeId) return 'key';
  const id = envelopeId(bytes);
  return { id, nodeId, timestamp, announcements: announcementsOf(items, { id, nodeId, timestamp }), author, bytes };
}

/** Whether the envelope is signed by the node that it names. This takes half a millisecond, so make cheaper checks first. */
export function isAuthentic({ author, bytes }: ReadEnvelope): boolean {
  return author.verify(concat(DOMAIN, bytes.subarray(SIGNATURE_LENGTH)), bytes.subarray(0, SIGNATURE_LENGTH));
}

/** SHA-256 of the content, hex. It does not cover the signature, so a new signature gives the same id. */
export function envelopeId(bytes: Uint8Array): string {
  return toHex(sha256(bytes.subarray(SIGNATURE_LENGTH)));
}

/** The id of one announcement: SHA-256 over the id of its envelope and its place in it (uint32, big-endian). */
function announcementsOf(
  items: readonly Item[],
  { id, nodeId, timestamp }: { id: string; nodeId: string; timestamp: number },
): Announcement[] {
  const envelope = fromHex(id, 32);
  return items.map(({ type, payload }, at) => {
    return { id: toHex(sha256(concat(envelope, uint32(at)))), type, nodeId, timestamp, payload };
  });
}

interface Item {
  readonly type: string;
  readonly payload: unknown;
}

interface Content {
  readonly announcements: readonly Item[];
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
  if (!hasFields(value, FIELDS)) return false;
  const { announcements, nodeId, publicKey, timestamp, nonce } = value;
  return (
    Array.isArray(announcements) &&
    announcements.length > 0 &&
    announcements.length <= MAX_ITEMS &&
    announcements.every(isItem) &&
    isHex(nodeId, 20) &&
    isHex(publicKey, 33) &&
    isHex(nonce, NONCE_LENGTH) &&
    Number.isSafeInteger(timestamp) &&
    (timestamp as number) >= 0
  );
}

function isItem(value: unknown): value is Item {
  return hasFields(value, 'payload,type') && typeof value['type'] === 'string' && isTopicName(value['type']);
}

function hasFields(value: unknown, fields: string): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.keys(value).toSorted().join() === fields;
}

function isHex(value: unknown, bytes: number): boolean {
  return typeof value === 'string' && value.length === bytes * 2 && /^[0-9a-f]*$/.test(value);
}
