import type { Entry } from '../../../contract/passvault/entry.ts';

/**
 * The `otpauth://totp/` URI that authenticator apps scan. A secret that is already such a URI is returned unchanged. A bare secret gets the
 * title and user name of its entry as the label (https://github.com/google/google-authenticator/wiki/Key-Uri-Format).
 */
export function otpUri({
  title,
  username = '',
  totpSecret = '',
}: Pick<Entry, 'title' | 'username' | 'totpSecret'>): string {
  const secret = totpSecret.trim();
  if (/^otpauth:/i.test(secret)) return secret;
  const issuer = encodeURIComponent(title.replaceAll(':', ' '));
  const account = encodeURIComponent(username);
  const digits = secret.replaceAll(/[\s-]/g, '').replace(/=+$/, '').toUpperCase();
  return `otpauth://totp/${issuer}${account === '' ? '' : `:${account}`}?secret=${digits}&issuer=${issuer}`;
}
