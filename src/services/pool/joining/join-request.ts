import * as v from 'valibot';
import { fromHex, toHex, utf8 } from '../../../crypto/bytes.ts';
import { canonicalJson } from '../../../crypto/canonical-json.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import type { KeyPair } from '../../../crypto/key-pair.ts';
import { nodeIdOf } from '../../../crypto/public-key.ts';
import { sign, verify } from '../../../crypto/signature.ts';
import { Problem } from '../../../base/problem.ts';
import { digits, isoTimestamp, mailDomain } from '../../../crypto/formats/access-list/document.ts';
import { poolLimits } from '../../../contract/pool/limits.ts';

const DOMAIN = 'conclave/pool-join/v1\n';
const MAX_ADDRESSES = 16;
const MAX_ADDRESS = poolLimits.address;
/** Code points. */
const MAX_MESSAGE = poolLimits.message;
/** Limit of the whole question with its signature. 16 addresses and an escaped message of three bytes a character fit. */
export const MAX_REQUEST_BYTES = 16_384;

const schema = v.strictObject({
  poolId: digits(32),
  nodeId: digits(20),
  publicKey: digits(33),
  message: v.pipe(
    v.string(),
    v.check((text) => Array.from(text).length <= MAX_MESSAGE),
  ),
  mailDomain: v.exactOptional(mailDomain),
  addresses: v.pipe(v.array(v.pipe(v.string(), v.maxLength(MAX_ADDRESS))), v.maxLength(MAX_ADDRESSES)),
  nonce: digits(16),
  timestamp: isoTimestamp,
});
/** A node's request to be admitted. */
export type JoinRequest = v.InferOutput<typeof schema>;

/** The wire form: canonical JSON, and a signature over it with the node's key. */
export const signedRequest = v.strictObject({
  request: v.pipe(v.string(), v.maxLength(MAX_REQUEST_BYTES)),
  signature: digits(64),
});
export type SignedRequest = v.InferOutput<typeof signedRequest>;

export function refusedRequest(why: string): Problem {
  return new Problem('invalid', 'JOIN_REQUEST_REFUSED', `The join request is refused: ${why}.`);
}

export function signRequest(request: JoinRequest, { privateKey }: KeyPair): SignedRequest {
  const text = canonicalJson(request);
  return { request: text, signature: toHex(sign(privateKey, utf8(DOMAIN + text))) };
}

/**
 * Reads a request, and checks that its sender has the private key of the node it names. The caller checks its time and its pool.
 * @throws Problem invalid JOIN_REQUEST_REFUSED
 */
export function readRequest(wire: unknown): JoinRequest & SignedRequest {
  const outer = v.safeParse(signedRequest, wire, { abortEarly: true });
  if (!outer.success) throw refusedRequest('its format is not valid');
  const parsed = v.safeParse(schema, parsedJson(outer.output.request), { abortEarly: true });
  if (!parsed.success) throw refusedRequest('its format is not valid');
  const request = parsed.output;
  if (written(request) !== outer.output.request) throw refusedRequest('it is not canonical JSON');
  if (idOf(request.publicKey) !== request.nodeId) throw refusedRequest('the id does not belong to the public key');
  const signed = utf8(DOMAIN + outer.output.request);
  if (!verify(fromHex(request.publicKey), signed, fromHex(outer.output.signature)))
    throw refusedRequest('the signature is not from the node');
  return { ...request, ...outer.output };
}

/** Control characters, and marks that reorder or hide text. An administrator sees text of a stranger, so they are removed. */
const harmful =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Surrogate}|[\u{e0000}-\u{e007f}]/gu;

/** The text on one line, without harmful characters. */
export function strippedText(text: string): string {
  return text
    .replaceAll(/[\t\n\r\u2028\u2029]+/g, ' ')
    .replaceAll(harmful, '')
    .trim();
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw refusedRequest('it is not JSON');
  }
}

function written(request: JoinRequest): string {
  try {
    return canonicalJson(request);
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    throw refusedRequest('it is not well-formed Unicode');
  }
}

function idOf(publicKey: string): string {
  try {
    return nodeIdOf(fromHex(publicKey));
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    throw refusedRequest('the public key is not a point of the curve');
  }
}
