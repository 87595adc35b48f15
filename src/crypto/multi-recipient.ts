import { gcmDecrypt, gcmEncrypt, IV_LENGTH, KEY_LENGTH, TAG_LENGTH } from './aes-gcm.ts';
import {
  assertInteger,
  assertLength,
  concat,
  constantTimeEqual,
  fromHex,
  systemRandom,
  toHex,
  utf8,
  type Random,
} from './bytes.ts';
import { CryptoError } from './crypto-error.ts';
import { ECIES_SUITE, ECIES_VERSION } from './ecies.ts';
import { deriveKey } from './hkdf.ts';
import { ephemeralAgreement, keyAgreement } from './key-pair.ts';
import { compressPublicKey } from './public-key.ts';

export interface Recipient {
  /** 24 hexadecimal digits, such as a member id. */
  readonly id: string;
  /** 33 or 65 bytes. */
  readonly publicKey: Uint8Array;
}

const TYPE = 0x63;
const MAX_RECIPIENTS = 255;
const ID_LENGTH = 12;
const WRAP_LENGTH = TAG_LENGTH + KEY_LENGTH;
const ENTRY_LENGTH = ID_LENGTH + WRAP_LENGTH;
/** version, suite, type, ephemeral public key, number of recipients */
const FIXED_LENGTH = 3 + 33 + 1;
const WRAP_INFO = utf8('conclave/ecies-multi/wrap/v1');
const CONTENT_INFO = 'conclave/ecies-multi/content/v1';

/**
 * Encrypts once for 1 to 255 recipients:
 * `0x01 | 0x01 | 0x63 | ephemeral public key 33 | count 1 | count × (id 12 | tag 16 | wrapped key 32) | IV 16 | tag 16 | ciphertext`.
 *
 * HKDF over the ECDH secret with the ephemeral key gives the wrapping key and the nonce of each recipient. It is salted with both
 * public keys and bound to the id, so that even two ids with the same public key never share a nonce. The wrapped key gives the content
 * key and the IV. The message contains the IV, and recipients compare it. This commits the sender to one key, so recipients can't be
 * given different contents. Everything before the ciphertext is authenticated with it.
 * It blocks the thread for slightly less than a millisecond per recipient.
 *
 * @param plaintext at least one byte
 * @param context purpose of the message; it is authenticated but not sent, and decryption needs the same
 * @throws CryptoError also when there are no recipients, too many, or duplicates
 */
export function encryptForMany(
  recipients: readonly Recipient[],
  plaintext: Uint8Array,
  context: Uint8Array,
  random: Random = systemRandom,
): Uint8Array {
  assertInteger('number of recipients', recipients.length, 1, MAX_RECIPIENTS);
  assertLength('plaintext', plaintext);
  assertLength('context', context);
  if (plaintext.length === 0) throw new CryptoError('plaintext must not be empty');
  const ids = recipients.map((recipient) => fromHex(recipient.id, ID_LENGTH));
  if (new Set(ids.map(toHex)).size !== ids.length) throw new CryptoError('recipients must be different');

  const ephemeral = ephemeralAgreement(random);
  const secret = random(KEY_LENGTH);
  assertLength('random bytes', secret, KEY_LENGTH);
  const fixed = concat(
    Uint8Array.of(ECIES_VERSION, ECIES_SUITE, TYPE),
    ephemeral.publicKey,
    Uint8Array.of(recipients.length),
  );
  const entries = recipients.map((recipient, index) => {
    const id = ids[index] as Uint8Array;
    const publicKey = compressPublicKey(recipient.publicKey);
    const { key, iv } = wrapKey(ephemeral.agree(publicKey), ephemeral.publicKey, publicKey, id);
    return concat(id, gcmEncrypt(key, iv, secret, concat(fixed, context)));
  });
  const content = contentKey(secret, ephemeral.publicKey);
  const header = concat(fixed, ...entries, content.iv);
  return concat(header, gcmEncrypt(content.key, content.iv, plaintext, concat(header, context)));
}

/**
 * @param id the recipient's, 24 hexadecimal digits
 * @param privateKey the recipient's, 32 bytes
 * @throws CryptoError when the message is malformed, damaged, not for this recipient, or made for another context
 */
export function decryptAsRecipient(
  id: string,
  privateKey: Uint8Array,
  message: Uint8Array,
  context: Uint8Array,
): Uint8Array {
  const recipient = keyAgreement(privateKey);
  assertLength('context', context);
  const ids = recipientIds(message);
  const index = ids.indexOf(toHex(fromHex(id, ID_LENGTH)));
  if (index < 0) throw new CryptoError('message is not for this recipient');

  const fixed = message.subarray(0, FIXED_LENGTH);
  const ephemeral = fixed.subarray(3, 36);
  const start = FIXED_LENGTH + index * ENTRY_LENGTH;
  const idBytes = message.subarray(start, start + ID_LENGTH);
  const wrap = wrapKey(recipient.agree(ephemeral), ephemeral, recipient.publicKey, idBytes);
  const wrapped = message.subarray(start + ID_LENGTH, start + ENTRY_LENGTH);
  const secret = gcmDecrypt(wrap.key, wrap.iv, wrapped, concat(fixed, context));

  const headerLength = FIXED_LENGTH + ids.length * ENTRY_LENGTH + IV_LENGTH;
  const header = message.subarray(0, headerLength);
  const content = contentKey(secret, ephemeral);
  if (!constantTimeEqual(content.iv, header.subarray(headerLength - IV_LENGTH)))
    throw new CryptoError('message is damaged');
  return gcmDecrypt(content.key, content.iv, message.subarray(headerLength), concat(header, context));
}

/**
 * The ids in the order of the message. They are not authenticated until a recipient decrypts the message: use them for routing only.
 *
 * @throws CryptoError when the message is malformed or too short for its recipients
 */
export function recipientIds(message: Uint8Array): string[] {
  assertLength('message', message);
  if (message.length < FIXED_LENGTH) throw new CryptoError('message is too short');
  if (message[0] !== ECIES_VERSION || message[1] !== ECIES_SUITE)
    throw new CryptoError('message has an unknown version or suite');
  if (message[2] !== TYPE) throw new CryptoError('message is of another type');
  const count = message[FIXED_LENGTH - 1] as number;
  if (count === 0) throw new CryptoError('message has no recipients');
  // An empty plaintext is never sent, so a message has at least one byte of ciphertext.
  if (message.length <= FIXED_LENGTH + count * ENTRY_LENGTH + IV_LENGTH + TAG_LENGTH)
    throw new CryptoError('message is too short');
  const ids = Array.from({ length: count }, (_, index) => {
    const start = FIXED_LENGTH + index * ENTRY_LENGTH;
    return toHex(message.subarray(start, start + ID_LENGTH));
  });
  if (new Set(ids).size !== count) throw new CryptoError('message names a recipient twice');
  return ids;
}

function wrapKey(
  shared: Uint8Array,
  ephemeral: Uint8Array,
  recipient: Uint8Array,
  id: Uint8Array,
): { key: Uint8Array; iv: Uint8Array } {
  return split(deriveKey(shared, concat(WRAP_INFO, id), KEY_LENGTH + IV_LENGTH, concat(ephemeral, recipient)));
}

function contentKey(secret: Uint8Array, ephemeral: Uint8Array): { key: Uint8Array; iv: Uint8Array } {
  return split(deriveKey(secret, CONTENT_INFO, KEY_LENGTH + IV_LENGTH, ephemeral));
}

function split(derived: Uint8Array): { key: Uint8Array; iv: Uint8Array } {
  return { key: derived.subarray(0, KEY_LENGTH), iv: derived.subarray(KEY_LENGTH) };
}
