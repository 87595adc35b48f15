import { concat, utf8 } from '../../bytes.ts';
import { signEd25519, verifyEd25519, type Ed25519KeyPair } from '../../ed25519.ts';
import { COSIGNATURE_TYPE, keyIdOf, type VerifierKey } from '../../verifier-key.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { signaturesBy, type NoteSignature, type SignedNote } from './signed-note.ts';

/** Cosignatures of checkpoints by Ed25519 keys (https://c2sp.org/tlog-cosignature): a time of 8 bytes, and a signature of 64. */

const TIME_LENGTH = 8;
const SIGNATURE_LENGTH = 64;

function signedBytes(text: string, seconds: number): Uint8Array {
  return utf8(`cosignature/v1\ntime ${seconds}\n${text}`);
}

/**
 * Signs that this is the largest consistent checkpoint of its log that the witness has seen.
 *
 * @param text of the checkpoint, without signatures
 * @param seconds since 1970
 */
export function cosign(text: string, name: string, key: Ed25519KeyPair, seconds: number): NoteSignature {
  const time = new Uint8Array(TIME_LENGTH);
  new DataView(time.buffer).setBigUint64(0, BigInt(seconds));
  const signature = signEd25519(key.privateKey, signedBytes(text, seconds));
  return { name, keyId: keyIdOf(name, COSIGNATURE_TYPE, key.publicKey), signature: concat(time, signature) };
}

/**
 * The time of the newest cosignature by a key, in seconds since 1970.
 *
 * @param key of the type of cosignatures
 * @returns undefined when the note has no cosignature of the key, or a wrong one
 */
export function cosignedAt(note: SignedNote, key: VerifierKey): number | undefined {
  const times = signaturesBy(note, key).map(({ signature }) => timeOf(note.text, key, signature));
  if (!times.every((time) => time !== undefined)) return undefined;
  return times.length === 0 ? undefined : Math.max(...times);
}

function timeOf(text: string, { type, key }: VerifierKey, signature: Uint8Array): number | undefined {
  if (type !== COSIGNATURE_TYPE || signature.length !== TIME_LENGTH + SIGNATURE_LENGTH) return undefined;
  // A time beyond the integers of a number is none that a clock shows.
  const seconds = wholeNumber(String(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0)));
  if (seconds === undefined) return undefined;
  return verifyEd25519(key, signedBytes(text, seconds), signature.slice(TIME_LENGTH)) ? seconds : undefined;
}
