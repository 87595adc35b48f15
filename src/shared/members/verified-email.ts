import { domainToASCII } from 'node:url';
import type { Context } from '../../service/context.ts';
import type { MemberRow } from '../../platform/store/tables/tables.ts';
import { mailDomain } from './mail-domain.ts';
import { usernameIn } from './names.ts';

/** What tells whether the e-mail address of an account is verified. */
export type AddressColumns = Pick<MemberRow, 'username_key' | 'email_key' | 'verified_email_key'>;

/**
 * Whether the e-mail address of an account proves who its member is: it is their own mailbox on this node, or an administrator confirmed it.
 * Anybody can register with any other address. A confirmation is of one address, so a change clears it.
 */
export function hasVerifiedEmail(ctx: Pick<Context, 'config'>, row: AddressColumns): boolean {
  return row.verified_email_key === row.email_key || isOwnMailbox(ctx, row);
}

function isOwnMailbox(
  ctx: Pick<Context, 'config'>,
  { username_key: username, email_key: email }: AddressColumns,
): boolean {
  const at = email.lastIndexOf('@');
  if (usernameIn(email.slice(0, at)) !== username) return false;
  const domain = domainToASCII(email.slice(at + 1));
  return domain !== '' && domain === mailDomain(ctx);
}
