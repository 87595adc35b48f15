import { concat, toHex, uint32, utf8 } from '../../../crypto/bytes.ts';
import { canonicalJson, canonicalJsonBytes } from '../../../crypto/canonical-json.ts';
import type { KeyPair } from '../../../crypto/key-pair.ts';
import { inclusionRanges, leafHash, nodeHash, rootOfInclusion, type LeafRange } from '../../../crypto/merkle.ts';
import { sign } from '../../../crypto/signature.ts';
import { fromBase64 } from '../json-values.ts';
import type { MessageOutcome } from '../../../service/ports/outbox.ts';

/**
 * A receiver's signed word on what became of one message. The receiver signs many at once: each statement is a leaf of a Merkle tree
 * (RFC 6962), the signature is over its root, and each receipt has the path from its leaf to the root. So each can be kept and shown alone.
 */
export interface Receipt extends Statement, Proof {}

/** What a receipt says, and what its leaf is made of. */
export interface Statement {
  readonly poolId: string;
  /** of the access list that names the receiver */
  readonly version: number;
  readonly sender: string;
  readonly receiver: string;
  readonly channel: string;
  readonly id: string;
  /** SHA-256 of the body as it was sent, hex */
  readonly bodyHash: string;
  readonly result: MessageOutcome;
  /** milliseconds since 1970 by the receiver's clock */
  readonly at: number;
}

interface Proof {
  /** place of the statement in the tree, and the number of its leaves */
  readonly index: number;
  readonly size: number;
  /** hashes of 32 bytes from the leaf upwards, Base64 */
  readonly path: string;
  /** 64 bytes over the root and the size, Base64 */
  readonly signature: string;
}

const DOMAIN = utf8('conclave/outbox-receipt/v1\n');
const HASH_LENGTH = 32;
/** More than enough for the largest tree, which has one leaf for each message of a request. */
const MAX_PATH = 16;

export function signReceipts(identity: KeyPair, statements: readonly Statement[]): Receipt[] {
  if (statements.length === 0) return [];
  const leaves = statements.map(leafOf);
  const size = leaves.length;
  const hashes = new Map<string, Uint8Array>();
  /** The ranges of all paths are parts of the same tree, so each is hashed once. */
  const hashOf = ({ start, end }: LeafRange): Uint8Array => {
    if (end - start === 1) return leaves[start] as Uint8Array;
    const key = `${start} ${end}`;
    const known = hashes.get(key);
    if (known !== undefined) return known;
    let middle = 1;
    while (middle * 2 < end - start) middle *= 2;
    const hash = nodeHash(hashOf({ start, end: start + middle }), hashOf({ start: start + middle, end }));
    hashes.set(key, hash);
    return hash;
  };
  const signature = base64(sign(identity.privateKey, signedBytes(hashOf({ start: 0, end: size }), size)));
  return statements.map((statement, index) => {
    const path = base64(concat(...inclusionRanges(index, size).map(hashOf)));
    return { ...statement, index, size, path, signature };
  });
}

/** Checks receipts that were signed together with one check of the signature. */
export function receiptVerifier(verify: (data: Uint8Array, signature: Uint8Array) => boolean) {
  const valid = new Set<string>();
  return (receipt: Receipt): boolean => {
    const root = rootOfReceipt(receipt);
    if (root === undefined) return false;
    const key = `${receipt.signature} ${receipt.size} ${toHex(root)}`;
    if (valid.has(key)) return true;
    const is = verify(signedBytes(root, receipt.size), fromBase64(receipt.signature));
    if (is) valid.add(key);
    return is;
  };
}

function rootOfReceipt(receipt: Receipt): Uint8Array | undefined {
  const bytes = fromBase64(receipt.path);
  if (bytes.length % HASH_LENGTH !== 0 || bytes.length > MAX_PATH * HASH_LENGTH) return undefined;
  const proof: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += HASH_LENGTH) proof.push(bytes.subarray(at, at + HASH_LENGTH));
  return rootOfInclusion({ index: receipt.index, size: receipt.size, leafHash: leafOf(receipt), proof });
}

function leafOf({ poolId, version, sender, receiver, channel, id, bodyHash, result, at }: Statement): Uint8Array {
  return leafHash(
    canonicalJsonBytes({ t: 'receipt', poolId, version, sender, receiver, channel, id, bodyHash, result, at }),
  );
}

function signedBytes(root: Uint8Array, size: number): Uint8Array {
  return concat(DOMAIN, uint32(size), root);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** A receipt as it is kept. */
export function writtenReceipt(receipt: Receipt): string {
  return canonicalJson(receipt);
}
