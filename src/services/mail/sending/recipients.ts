import type { MailboxInput } from '../../../contract/mail/fields.ts';
import { mailLimits } from '../../../contract/mail/limits.ts';
import { fieldProblem, fieldsProblem, Problem, type FieldProblem } from '../../../base/problem.ts';
import type { Context } from '../../../service/context.ts';
import { addressKey, mailboxFrom } from '../message/address.ts';
import type { NamedMailbox } from '../message/addresses.ts';
import { unknownMailboxes } from './local.ts';

export type RecipientKind = 'to' | 'cc' | 'bcc';

export interface Recipients {
  readonly to: readonly NamedMailbox[];
  readonly cc: readonly NamedMailbox[];
  readonly bcc: readonly NamedMailbox[];
}

/** @throws Problem invalid VALIDATION_ERROR that names each mailbox that is none */
export function checkedMailboxes(field: string, given: readonly MailboxInput[]): NamedMailbox[] {
  const wrong: FieldProblem[] = [];
  const mailboxes = given.flatMap((one, index): NamedMailbox[] => {
    const mailbox = mailboxFrom(one);
    if (mailbox === undefined) {
      wrong.push({ path: `${field}.${index}`, message: 'is not a valid mailbox' });
      return [];
    }
    const { displayName } = one;
    return [{ ...mailbox, ...(displayName !== undefined && displayName !== '' && { displayName }) }];
  });
  if (wrong.length > 0) throw fieldsProblem(wrong.slice(0, 20), Math.max(0, wrong.length - 20));
  return mailboxes;
}

/** The recipients as a message names them, each mailbox once in a list. */
export function checkedRecipients(given: {
  readonly to: readonly MailboxInput[];
  readonly cc: readonly MailboxInput[];
  readonly bcc: readonly MailboxInput[];
}): Recipients {
  const once = (field: RecipientKind) => eachOnce(checkedMailboxes(field, given[field]));
  return { to: once('to'), cc: once('cc'), bcc: once('bcc') };
}

export function eachOnce(mailboxes: readonly NamedMailbox[]): NamedMailbox[] {
  const seen = new Set<string>();
  return mailboxes.filter((one) => {
    const key = addressKey(one);
    return !seen.has(key) && seen.add(key);
  });
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

export interface Recipient {
  readonly kind: RecipientKind;
  readonly mailbox: NamedMailbox;
}

/**
 * Everybody who gets the message, once: who is named openly gets no blind copy beside it.
 * @throws Problem invalid VALIDATION_ERROR when there is nobody, or too many
 */
export function everyRecipient(recipients: Recipients): Recipient[] {
  const all = new Map<string, Recipient>();
  for (const kind of ['to', 'cc', 'bcc'] as const)
    for (const mailbox of recipients[kind]) {
      const key = addressKey(mailbox);
      if (!all.has(key)) all.set(key, { kind, mailbox });
    }
  if (all.size === 0) throw fieldProblem('to', 'must name at least one recipient, or cc or bcc must');
  if (all.size > mailLimits.recipients)
    throw fieldProblem('to', `must be, with cc and bcc, at most ${mailLimits.recipients} recipients`);
  return [...all.values()];
}
