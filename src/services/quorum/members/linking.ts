import type { Context } from '../../../service/context.ts';
import { fromHex } from '../../../crypto/bytes.ts';
import { memberIdOf } from '../../../crypto/public-key.ts';
import { emailKey } from '../../../shared/members/names.ts';
import { membersNamed, type NamedMember } from '../../../shared/members/named.ts';
import { hasVerifiedEmail, type AddressColumns } from '../../../shared/members/verified-email.ts';
import { fieldProblem } from '../../../base/problem.ts';

/** Why an account is the account of a member of the quorum, apart from a signature that it gives itself. */
export type LinkedBy = 'key' | 'account' | 'email';

interface Given {
  /** compressed, hex */
  readonly publicKey?: string | undefined;
  readonly accountId?: string | undefined;
  readonly email?: string | undefined;
}

/** An account for a new member, and why it is the right one. */
export interface Link {
  readonly account: NamedMember;
  readonly linkedBy: LinkedBy;
}

/**
 * The account of a new member: the one with the same key, the one that is named, or the one whose verified e-mail address it is, when the
 * member is added. Somebody who registers the address later gets nothing, and neither does an account whose address nobody verified.
 *
 * @param field where `accountId` stands in the request
 * @throws Problem invalid VALIDATION_ERROR for an account that isn't there, or that has another key than the member
 */
export async function accountToLink(
  ctx: Context,
  { publicKey, accountId, email }: Given,
  field = 'accountId',
): Promise<Link | undefined> {
  const names = [publicKey === undefined ? '' : memberIdOf(fromHex(publicKey)), accountId ?? '', email ?? ''];
  const [byKey, named, byEmail] = await membersNamed(ctx, names);
  if (accountId !== undefined) {
    if (named?.active !== true) throw fieldProblem(field, 'is no active account of this node');
    if (byKey !== undefined && byKey.id !== named.id)
      throw fieldProblem(field, `is not the account that has this key, which is ${byKey.id}`);
  }
  if (byKey !== undefined) return { account: byKey, linkedBy: 'key' };
  if (named !== undefined) return { account: named, linkedBy: 'account' };
  return byEmail && { account: byEmail, linkedBy: 'email' };
}

/**
 * Refuses a link that depends on an e-mail address which is not verified now: the account may have another one since, and proposals of
 * before version 58 of the store don't say why they have their account, and took any address.
 *
 * @throws Problem invalid VALIDATION_ERROR
 */
export async function assertProven(
  tx: Context,
  { accountId, email, linkedBy }: Omit<Given, 'publicKey'> & { readonly linkedBy?: LinkedBy | undefined },
): Promise<void> {
  if (accountId === undefined || linkedBy === 'key' || linkedBy === 'account') return;
  const account = await addressOf(tx, accountId);
  const isThisAddress = email !== undefined && account?.email_key === emailKey(email);
  const isByAddress = linkedBy === 'email' || isThisAddress;
  if (!isByAddress || (isThisAddress && account !== undefined && hasVerifiedEmail(tx, account))) return;
  throw fieldProblem('actionPayload.email', 'is not the verified address of the account', {
    sentence: `Nobody verified that the account ${accountId} has this e-mail address. Propose it anew, with the public key or the account.`,
  });
}

async function addressOf(ctx: Context, accountId: string): Promise<AddressColumns | undefined> {
  return await ctx.db
    .selectFrom('members')
    .select(['username_key', 'email_key', 'verified_email_key'])
    .where('id', '=', accountId)
    .executeTakeFirst();
}

/** A link of before that counts, although nobody verified the e-mail address that made it. */
export interface UnverifiedLink {
  readonly memberId: string;
  readonly name: string;
  readonly accountId: string;
}

/** The links that nobody has confirmed yet, in the order of the names of the members. */
export async function unverifiedLinks(ctx: Context): Promise<UnverifiedLink[]> {
  const rows = await ctx.db
    .selectFrom('quorum_unverified_links as l')
    .innerJoin('quorum_members as q', (join) =>
      join.onRef('q.id', '=', 'l.member_id').onRef('q.account_id', '=', 'l.account_id').on('q.active', '=', 1),
    )
    .innerJoin('members as m', 'm.id', 'l.account_id')
    .select(['q.id', 'q.name', 'q.email', 'l.account_id', 'm.username_key', 'm.email_key', 'm.verified_email_key'])
    .orderBy('q.name')
    .orderBy('q.id')
    .execute();
  return rows
    .filter(({ email, ...account }) => emailKey(email ?? '') !== account.email_key || !hasVerifiedEmail(ctx, account))
    .map((row) => ({ memberId: row.id, name: row.name, accountId: row.account_id }));
}

/** After the member was linked anew. */
export async function forgetUnverified(tx: Context, memberId: string): Promise<void> {
  await tx.db.deleteFrom('quorum_unverified_links').where('member_id', '=', memberId).execute();
}
