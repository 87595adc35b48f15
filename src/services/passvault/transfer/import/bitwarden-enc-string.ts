import { createCipheriv, createDecipheriv } from 'node:crypto';
import { concat, constantTimeEqual, utf8 } from '../../../../crypto/bytes.ts';
import { hmacSha256 } from '../../../../crypto/hash.ts';
import type { Random } from '../../../../crypto/bytes.ts';
import { fromBase64 } from './file-text.ts';

/** The two keys of Bitwarden's EncString type 2: AES-256-CBC with PKCS#7, then HMAC-SHA256 over iv and ciphertext. */
export interface EncStringKeys {
  readonly encryption: Uint8Array;
  readonly authentication: Uint8Array;
}

/** HKDF-Expand (RFC 5869, 2.3; one block) without Extract, because the key already comes from a slow derivation. */
export function stretchKey(key: Uint8Array): EncStringKeys {
  const one = Uint8Array.of(1);
  return {
    encryption: hmacSha256(key, utf8('enc'), one),
    authentication: hmacSha256(key, utf8('mac'), one),
  };
}

/** Opens `2.<iv>|<ciphertext>|<mac>`, each base64. Undefined if the text isn't in this form, or was sealed with other keys. */
export function openEncString(text: string, keys: EncStringKeys): Uint8Array | undefined {
  const [head, ciphertext, mac, ...more] = text
    .split('|', 4)
    .map((part, at) => fromBase64(at === 0 ? part.slice(2) : part));
  if (!text.startsWith('2.') || !head || !ciphertext || !mac || more.length > 0) return undefined;
  if (head.length !== 16 || !constantTimeEqual(hmacSha256(keys.authentication, head, ciphertext), mac))
    return undefined;
  try {
    const decipher = createDecipheriv('aes-256-cbc', keys.encryption, head);
    return concat(decipher.update(ciphertext), decipher.final());
  } catch {
    return undefined;
  }
}

export function sealEncString(plaintext: Uint8Array, keys: EncStringKeys, random: Random): string {
  const iv = random(16);
  const cipher = createCipheriv('aes-256-cbc', keys.encryption, iv);
  const ciphertext = concat(cipher.update(plaintext), cipher.final());
  const mac = hmacSha256(keys.authentication, iv, ciphertext);
  return `2.${[iv, ciphertext, mac].map((part) => Buffer.from(part).toString('base64')).join('|')}`;
}
