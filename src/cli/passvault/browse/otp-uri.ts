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
  if (/^steam:\/\//i.test(secret)) return steamUri(secret.slice('steam://'.length), username);
  const issuer = encodeURIComponent(title.replaceAll(':', ' '));
  const account = encodeURIComponent(username);
  return `otpauth://totp/${issuer}${account === '' ? '' : `:${account}`}?secret=${base32(secret)}&issuer=${issuer}`;
}

/** As KeePassXC writes it. It would take six digits if the address did not say five. */
function steamUri(secret: string, username: string): string {
  const account = encodeURIComponent(username);
  return `otpauth://totp/Steam${account === '' ? '' : `:${account}`}?secret=${base32(secret)}&issuer=Steam&digits=5&encoder=steam`;
}

/** Without what people write to read it more easily. */
function base32(secret: string): string {
  return secret.replaceAll(/[\s-]/g, '').replace(/=+$/, '').toUpperCase();
}
