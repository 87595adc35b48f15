import type { KeptEntry } from '../../../../contract/passvault/entry.ts';
import { sha256 } from '../../../../crypto/hash.ts';
import { toHex } from '../../../../crypto/bytes.ts';

/**
 * Two entries with one key are the same to whoever imports a file twice: a login by title, user name, address and password;
 * what has none of these three, and notes and cards, by all that they hold.
 *
 * @returns 64 hex digits; made from secrets without a key, so it must never be kept
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
