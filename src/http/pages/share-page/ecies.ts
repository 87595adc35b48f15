import { secp256k1 } from '@noble/curves/secp256k1.js';
import { joined, utf8Of, type Octets } from './octets.ts';

/** `version | suite | type | ephemeral public key 33 | IV 16 | tag 16 | ciphertext`, as src/crypto/ecies.ts writes it. */
const HEADER = 3 + 33;
const IV = 16;
const TAG = 16;
const BASIC = 0x21;
const INFO = 'conclave/ecies/v1';

/** @returns 33 bytes; undefined if the private key is none. @param privateKey 32 bytes */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array | undefined {
  try {
    return secp256k1.getPublicKey(privateKey, true);
  } catch {
    return undefined;
  }
}

/**
 * Opens a message that was encrypted to a public key. WebCrypto has no secp256k1, so the one multiplication is a library's.
 * @returns undefined if it is malformed, damaged, or for another key or context
 */
export async function openSealed(
  privateKey: Uint8Array,
  message: Uint8Array,
  context: string,
): Promise<Octets | undefined> {
  if (message.length <= HEADER + IV + TAG) return undefined;
  if (message[0] !== 1 || message[1] !== 1 || message[2] !== BASIC) return undefined;
  const header = message.subarray(0, HEADER);
  const ephemeral = header.subarray(3);
  try {
    const recipient = secp256k1.getPublicKey(privateKey, true);
    const secret = secp256k1.getSharedSecret(privateKey, ephemeral, true).slice(1);
    const key = await messageKey(secret, joined(ephemeral, recipient));
    const [iv, tag] = [message.slice(HEADER, HEADER + IV), message.subarray(HEADER + IV, HEADER + IV + TAG)];
    // WebCrypto wants the tag at the end.
    const sealed = joined(message.subarray(HEADER + IV + TAG), tag);
    const additionalData = joined(header, utf8Of(context));
    const algorithm = { name: 'AES-GCM', iv, additionalData, tagLength: TAG * 8 };
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, sealed));
  } catch {
    return undefined;
  }
}

async function messageKey(secret: Uint8Array, salt: Octets): Promise<CryptoKey> {
  const material = Uint8Array.from(secret);
  secret.fill(0);
  const base = await crypto.subtle.importKey('raw', material, 'HKDF', false, ['deriveKey']);
  material.fill(0);
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt, info: utf8Of(INFO) };
  return await crypto.subtle.deriveKey(derivation, base, { name: 'AES-GCM', length: 256 }, false, ['decrypt']);
}
