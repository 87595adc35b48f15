import { gcmDecrypt, gcmEncrypt, IV_LENGTH, KEY_LENGTH, TAG_LENGTH } from './aes-gcm.ts';
import {
  assertLength,
  concat,
  constantTimeEqual,
  plain,
  readUint32,
  systemRandom,
  uint32,
  type Random,
} from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { deriveKey } from './hkdf.ts';
import { ephemeralAgreement, keyAgreement } from './key-pair.ts';
import { compressPublicKey } from './public-key.ts';

/** The form of the plaintext before encryption: alone, or after its length (4 bytes, big-endian). */
export type EciesMode = 'basic' | 'withLength';

/** First bytes of every message: format 1, suite 1 (secp256k1, HKDF-SHA256, AES-256-GCM). */
export const ECIES_VERSION = 0x01;
export const ECIES_SUITE = 0x01;

const types = { basic: 0x21, withLength: 0x42 } as const;
const INFO = 'conclave/ecies/v1';

/** version, suite, type, ephemeral public key */
const HEADER_LENGTH = 3 + 33;
const OVERHEAD = HEADER_LENGTH + IV_LENGTH + TAG_LENGTH;

/**
 * Encrypts for the holder of a private key:
 * `0x01 | 0x01 | type | ephemeral public key 33 | IV 16 | tag 16 | ciphertext`.
 * The key is HKDF-SHA256 of the ECDH x-coordinate, salted with the ephemeral and the recipient's compressed keys.
 *
 * @param publicKey of the recipient, 33 or 65 bytes
 * @param plaintext at least one byte
 * @param context purpose and recipient of the message; it is authenticated but not sent, and decryption needs the same
 * @throws CryptoError
 */
export function eciesEncrypt(
  publicKey: Uint8Array,
  plaintext: Uint8Array,
  context: Uint8Array,
  mode: EciesMode = 'basic',
  random: Random = systemRandom,
): Uint8Array {
  return eciesEncrypter(random)(publicKey, plaintext, context, mode);
}

type Encrypt = (publicKey: Uint8Array, plaintext: Uint8Array, context: Uint8Array, mode?: EciesMode) => Uint8Array;

/**
 * Encrypts many messages of the same form with one ephemeral key, for one recipient after another. A recipient costs one multiplication
 * on the curve instead of two, and further messages to the same recipient cost none. Each message has a random IV.
 */
export function eciesEncrypter(random: Random = systemRandom): Encrypt {
  const ephemeral = ephemeralAgreement(random);
  let last: { readonly recipient: Uint8Array; readonly key: Uint8Array } | undefined;
  return (publicKey, plaintext, context, mode = 'basic') => {
    const recipient = compressPublicKey(publicKey);
    assertLength('plaintext', plaintext);
    assertLength('context', context);
    if (plaintext.length === 0) throw new CryptoError('plaintext must not be empty');
    if (last === undefined || !constantTimeEqual(last.recipient, recipient))
      last = { recipient, key: messageKey(ephemeral.agree(recipient), ephemeral.publicKey, recipient) };
    const header = concat(Uint8Array.of(ECIES_VERSION, ECIES_SUITE, types[mode]), ephemeral.publicKey);
    const iv = random(IV_LENGTH);
    const body = mode === 'withLength' ? concat(uint32(plaintext.length), plaintext) : plaintext;
    return concat(header, iv, gcmEncrypt(last.key, iv, body, concat(header, context)));
  };
}

/**
 * Reads a message of either mode.
 *
 * @throws CryptoError when the message is malformed, damaged, or made for another key or context; the error doesn't say which
 */
export function eciesDecrypt(privateKey: Uint8Array, message: Uint8Array, context: Uint8Array): Uint8Array {
  const recipient = keyAgreement(privateKey);
  assertLength('message', message);
  assertLength('context', context);
  // An empty plaintext is never sent, so a message has at least one byte of ciphertext.
  if (message.length <= OVERHEAD) throw new CryptoError('message is too short');
  const mode = readMode(message);
  const header = message.subarray(0, HEADER_LENGTH);
  const ephemeral = header.subarray(3);
  const key = messageKey(recipient.agree(ephemeral), ephemeral, recipient.publicKey);
  const iv = message.subarray(HEADER_LENGTH, HEADER_LENGTH + IV_LENGTH);
  const body = gcmDecrypt(key, iv, message.subarray(HEADER_LENGTH + IV_LENGTH), concat(header, context));
  return mode === 'withLength' ? withoutLength(body) : body;
}

function readMode(message: Uint8Array): EciesMode {
  if (message[0] !== ECIES_VERSION || message[1] !== ECIES_SUITE)
    throw new CryptoError('message has an unknown version or suite');
  if (message[2] === types.basic) return 'basic';
  if (message[2] === types.withLength) return 'withLength';
  throw new CryptoError('message is of another type');
}

function withoutLength(body: Uint8Array): Uint8Array {
  if (body.length <= 4 || readUint32(body, 0) !== body.length - 4)
    throw new CryptoError('length in the message is wrong');
  return plain(body.subarray(4));
}

function messageKey(secret: Uint8Array, ephemeral: Uint8Array, recipient: Uint8Array): Uint8Array {
  return deriveKey(secret, INFO, KEY_LENGTH, concat(ephemeral, recipient));
}
