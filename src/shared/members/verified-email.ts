import { hostname } from 'node:os';
import { domainToASCII } from 'node:url';
import type { Context } from '../../service/context.ts';
import type { MemberRow } from '../../platform/store/tables/tables.ts';

/** What tells whether the e-mail address of an account is verified. */
export type AddressColumns = Pick<MemberRow, 'username_key' | 'email_key' | 'verified_email_key'>;

/**
 * Whether the e-mail address of an account proves who its member is: it is their own mailbox on this node, or an administrator confirmed it.
 * Anybody can register with any other address. A confirmation is of one address, so a change clears it.
 */
export function hasVerifiedEmail({ config }: Pick<Context, 'config'>, row: AddressColumns): boolean {
  return row.verified_email_key === row.email_key || isOwnMailbox(config.mail.domain ?? hostname(), row);
}

/** What follows a plus sign is delivered to the same mailbox (RFC 5233), and no username has one. */
function isOwnMailbox(mailDomain: string, { username_key: username, email_key: email }: AddressColumns): boolean {
  const at = email.lastIndexOf('@');
  const [local] = email.slice(0, at).split('+');
  if (local !== username) return false;
  const domain = domainToASCII(email.slice(at + 1));
  return domain !== '' && domain === domainToASCII(mailDomain);
}
