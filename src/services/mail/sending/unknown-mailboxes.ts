import { Problem } from '../../../base/problem.ts';
import type { MailboxInput } from '../../../contract/mail/fields.ts';
import type { Context } from '../../../service/context.ts';
import { addressKey, mailboxFrom, type Mailbox } from '../message/address.ts';
import type { NamedMailbox } from '../message/addresses.ts';
import { nodeServing } from '../network/routes.ts';
import { usernameIn } from '../../../shared/members/names.ts';
import { ownDomain } from '../own-mailbox.ts';
import { localRecipients } from './local.ts';

/**
 * Those of the mailboxes whose mail stays on this node and that are nobody's, by `addressKey`: who never was, has left or is suspended. The
 * access list may name another node for a domain.
 */
export async function unknownMailboxes(ctx: Context, mailboxes: readonly Mailbox[]): Promise<ReadonlySet<string>> {
  const domains = [...new Set(mailboxes.map(({ domain }) => domain))];
  const served = await Promise.all(domains.map(async (domain) => await nodeServing(ctx, domain)));
  const here = mailboxes.filter(({ domain }) => served[domains.indexOf(domain)] === 'here');
  const found = await localRecipients(
    ctx,
    here.filter(({ domain }) => domain === ownDomain(ctx)),
  );
  const isKnown = ({ localPart, domain }: Mailbox): boolean =>
    domain === ownDomain(ctx) && found.has(usernameIn(localPart));
  return new Set(here.filter((one) => !isKnown(one)).map(addressKey));
}

/** Fields of the input with mailboxes in them. */
type GivenMailboxes = Readonly<Record<string, readonly (MailboxInput | NamedMailbox)[]>>;

/**
 * Refuses a message to mailboxes of this node that nobody has, before anything is sent to anybody.
 * @throws Problem invalid NO_SUCH_MAILBOX that names each of them
 */
export async function refuseUnknown(ctx: Context, given: GivenMailboxes): Promise<void> {
  const all = Object.entries(given).flatMap(([field, mailboxes]) =>
    mailboxes.flatMap((one, index) => {
      const mailbox = mailboxFrom(one);
      return mailbox === undefined ? [] : [{ path: `${field}.${index}`, mailbox }];
    }),
  );
  const unknown = await unknownMailboxes(
    ctx,
    all.map(({ mailbox }) => mailbox),
  );
  const fields = all
    .filter(({ mailbox }) => unknown.has(addressKey(mailbox)))
    .map(({ path, mailbox }) => ({ path, message: `there is no mailbox ${addressKey(mailbox)}` }));
  if (fields.length === 0) return;
  const names = [...unknown].join(', ');
  const message = `There is no mailbox ${names}. Nothing was sent to anybody. Correct the address, or leave it out.`;
  throw new Problem('invalid', 'NO_SUCH_MAILBOX', message, { fields });
}

/** Mailboxes without those that nobody has on this node. */
export async function withoutUnknown<Lists extends Readonly<Record<string, readonly NamedMailbox[]>>>(
  ctx: Context,
  lists: Lists,
): Promise<{ readonly lists: { readonly [Name in keyof Lists]: NamedMailbox[] }; readonly skipped: string[] }> {
  const unknown = await unknownMailboxes(ctx, Object.values(lists).flat());
  const left = Object.entries(lists).map(([name, list]) => [name, list.filter((one) => !unknown.has(addressKey(one)))]);
  return { lists: Object.fromEntries(left) as never, skipped: [...unknown] };
}
