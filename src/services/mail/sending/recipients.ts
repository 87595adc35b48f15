import type { MailboxInput } from '../../../contract/mail/fields.ts';
import { mailLimits } from '../../../contract/mail/limits.ts';
import { fieldProblem, fieldsProblem, type FieldProblem } from '../../../base/problem.ts';
import { addressKey, mailboxFrom } from '../message/address.ts';
import type { NamedMailbox } from '../message/addresses.ts';

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
