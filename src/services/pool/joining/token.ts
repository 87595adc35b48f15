import * as v from 'valibot';
import { poolLimits } from '../../../contract/pool/limits.ts';
import { concat, constantTimeEqual, fromHex, toHex, utf8 } from '../../../crypto/bytes.ts';
import { canonicalJson } from '../../../crypto/canonical-json.ts';
import { sha256 } from '../../../crypto/hash.ts';
import { keyPairFromSecret, type KeyPair } from '../../../crypto/key-pair.ts';
import { sign, verify } from '../../../crypto/signature.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { digits, isoTimestamp, type AclAdmin } from '../../../crypto/formats/access-list/document.ts';
import type { Signer } from '../acl/signer.ts';

const TOKEN_DOMAIN = 'conclave/pool-token/v1\n';
const PROOF_DOMAIN = 'conclave/pool-token-proof/v1\n';
const KEY_INFO = 'conclave/pool-token-key/v1';

const schema = v.strictObject({
  t: v.literal('pool-token'),
  v: v.literal(1),
  poolId: digits(32),
  /** the only node that admits by it, because it counts the uses */
  nodeId: digits(20),
  tokenId: digits(8),
  publicKey: digits(33),
  uses: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(poolLimits.tokenUses)),
  issuedAt: isoTimestamp,
  issuedBy: digits(12),
  expiresAt: isoTimestamp,
  /** when the admissions by it end */
  admittedUntil: v.nullable(isoTimestamp),
});
/** A join token without its secret: what an administrator signs. */
export type TokenDocument = v.InferOutput<typeof schema>;

export function signToken(document: TokenDocument, { privateKey }: Signer): { document: string; signature: string } {
  const text = canonicalJson(document);
  return { document: text, signature: toHex(sign(privateKey, utf8(TOKEN_DOMAIN + text))) };
}

/** Reads a token; undefined unless one of these administrators signed it. */
export function readToken(
  { document: text, signature }: { readonly document: string; readonly signature: string },
  admins: readonly AclAdmin[],
): TokenDocument | undefined {
  const parsed = v.safeParse(schema, JSON.parse(text));
  if (!parsed.success) return undefined;
  const admin = admins.find(({ memberId }) => memberId === parsed.output.issuedBy);
  const signed = utf8(TOKEN_DOMAIN + text);
  return admin !== undefined && verify(fromHex(admin.publicKey), signed, fromHex(signature))
    ? parsed.output
    : undefined;
}

/** What goes with a join request: it shows that the node has the token, and is of use to no other node. */
export const tokenProof = v.strictObject({ id: digits(8), proof: digits(64) });
export type TokenProof = v.InferOutput<typeof tokenProof>;

interface Proven {
  readonly poolId: string;
  readonly tokenId: string;
  readonly nodeId: string;
}

function provenBytes({ poolId, tokenId, nodeId }: Proven): Uint8Array {
  return utf8(PROOF_DOMAIN + canonicalJson({ poolId, tokenId, nodeId }));
}

export function hasToken({ publicKey, poolId, tokenId }: TokenDocument, proof: string, nodeId: string): boolean {
  return verify(fromHex(publicKey), provenBytes({ poolId, tokenId, nodeId }), fromHex(proof));
}

export function tokenIdOf(publicKey: Uint8Array): string {
  return toHex(sha256(publicKey)).slice(0, 16);
}

const PREFIX = 'conclave-join-';
/** form, pool, node, secret; then a checksum, so that a token that was copied in part is noticed here */
const [FORM, POOL, NODE, SECRET, CHECKSUM] = [1, 32, 20, 32, 4] as const;
const CONTENT = FORM + POOL + NODE + SECRET;

export interface TokenText {
  readonly poolId: string;
  readonly nodeId: string;
  /** 32 random bytes, from which the key of the token is derived */
  readonly secret: Uint8Array;
}

export function tokenKey(secret: Uint8Array): KeyPair {
  return keyPairFromSecret(secret, KEY_INFO);
}

/** The token as people copy it. It is a secret. */
export function writeToken({ poolId, nodeId, secret }: TokenText): string {
  const content = concat(Uint8Array.of(1), fromHex(poolId), fromHex(nodeId), secret);
  return PREFIX + Buffer.from(concat(content, sha256(content).subarray(0, CHECKSUM))).toString('base64url');
}

/** @throws Problem invalid VALIDATION_ERROR, without the text */
export function parseToken(text: string): TokenText {
  const bytes = new Uint8Array(Buffer.from(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '', 'base64url'));
  const content = bytes.subarray(0, CONTENT);
  const whole = bytes.length === CONTENT + CHECKSUM && bytes[0] === 1;
  if (!whole || !constantTimeEqual(sha256(content).subarray(0, CHECKSUM), bytes.subarray(CONTENT)))
    throw fieldProblem('token', 'is not a join token, or a part of it is missing');
  const part = (from: number, length: number) => content.slice(from, from + length);
  return {
    poolId: toHex(part(FORM, POOL)),
    nodeId: toHex(part(FORM + POOL, NODE)),
    secret: part(FORM + POOL + NODE, SECRET),
  };
}

/** What a node keeps of a token that it asks with. */
export const keptToken = v.object({ ...tokenProof.entries, nodeId: digits(20) });
export type KeptToken = v.InferOutput<typeof keptToken>;

/** Shows that this node has a token. The token is not needed afterwards. */
export function proveToken({ poolId, nodeId: issuer, secret }: TokenText, nodeId: string): KeptToken {
  const { publicKey, privateKey } = tokenKey(secret);
  const id = tokenIdOf(publicKey);
  return { id, proof: toHex(sign(privateKey, provenBytes({ poolId, tokenId: id, nodeId }))), nodeId: issuer };
}
