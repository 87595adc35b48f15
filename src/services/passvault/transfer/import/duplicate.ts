import type { KeptEntry } from '../../../../contract/passvault/entry.ts';
import { sha256 } from '../../../../crypto/hash.ts';
import { toHex } from '../../../../crypto/bytes.ts';

/**
 * The key of an entry for finding duplicates when a file is imported twice. Logins are compared by title, user name, address and password.
 * Logins without the last three, notes and cards are compared by their whole content.
 *
 * @returns 64 hex digits; an unkeyed hash of secrets, so it must never be stored
 */
export function duplicateKey(entry: KeptEntry): string {
  const { type, title, username = '', siteUrl = '', password = '' } = entry;
  const parts: unknown[] = [type, title, username, siteUrl, password];
  if (username === '' && siteUrl === '' && password === '') {
    const { totpSecret, cardholderName, cardNumber, expirationDate, cvv, content, notes, customFields = [] } = entry;
    const texts = [totpSecret, cardholderName, cardNumber, expirationDate, cvv, content, notes];
    parts.push(...texts.map((text) => text ?? ''), ...customFields.flatMap(({ name, value }) => [name, value]));
  }
  return toHex(sha256(Buffer.from(JSON.stringify(parts))));
}
