import { concat } from '../../../crypto/bytes.ts';
import { sign, verify } from '../../../crypto/signature.ts';
import { Problem } from '../../../problem.ts';

/** `timestamp 8, big-endian milliseconds | nonce 32 | signature of the node over both 64` */
const TIMESTAMP_LENGTH = 8;
const NONCE_LENGTH = 32;
const SIGNED_LENGTH = TIMESTAMP_LENGTH + NONCE_LENGTH;
const CHALLENGE_LENGTH = SIGNED_LENGTH + 64;
/** Clocks of several processes differ; more than this is not a difference but a forgery or a broken clock. */
const FUTURE_MS = 30_000;

export interface ReadChallenge {
  /** milliseconds since 1970 */
  readonly timestamp: number;
  readonly nonce: Uint8Array;
}

/** @returns 104 bytes */
export function issueChallenge(
  privateKey: Uint8Array,
  nowMs: number,
  random: (size: number) => Uint8Array,
): Uint8Array {
  const timestamp = new Uint8Array(TIMESTAMP_LENGTH);
  new DataView(timestamp.buffer).setBigUint64(0, BigInt(nowMs));
  const signed = concat(timestamp, random(NONCE_LENGTH));
  return concat(signed, sign(privateKey, signed));
}

/** @throws Problem unauthenticated INVALID_CHALLENGE when it has another length */
export function readChallenge(bytes: Uint8Array): ReadChallenge {
  if (bytes.length !== CHALLENGE_LENGTH) throw invalidChallenge();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { timestamp: Number(view.getBigUint64(0)), nonce: bytes.slice(TIMESTAMP_LENGTH, SIGNED_LENGTH) };
}

/** @throws Problem unauthenticated INVALID_CHALLENGE when the node with this key didn't issue it */
export function assertIssuedBy(publicKey: Uint8Array, challenge: Uint8Array): void {
  const issued = verify(publicKey, challenge.subarray(0, SIGNED_LENGTH), challenge.subarray(SIGNED_LENGTH));
  if (!issued) throw invalidChallenge();
}

/** @throws Problem unauthenticated CHALLENGE_EXPIRED */
export function assertTimely(timestamp: number, nowMs: number, lifetimeMs: number): void {
  if (timestamp + lifetimeMs < nowMs || timestamp > nowMs + FUTURE_MS) {
    throw new Problem(
      'unauthenticated',
      'CHALLENGE_EXPIRED',
      'The challenge has expired, or its time is in the future. Ask for a new one.',
    );
  }
}

function invalidChallenge(): Problem {
  return new Problem('unauthenticated', 'INVALID_CHALLENGE', 'The challenge was not issued by this node.');
}
