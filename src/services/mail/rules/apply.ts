import type { Context } from '../../../service/context.ts';
import type { MailboxInput } from '../../../contract/mail/fields.ts';
import { mailLimits, type Folder } from '../../../contract/mail/limits.ts';
import type { MailRule } from '../../../contract/mail/rules.ts';
import { enqueue } from '../../../platform/store/jobs/jobs.ts';
import type { MailItemRow } from '../../../platform/store/tables/mail.ts';
import type { MessageFacts } from '../boxes/items.ts';
import { shownAddress } from '../message/address.ts';
import { mailboxOf, type Address } from '../message/addresses.ts';

/** What is done with an incoming message. */
export interface RuleOutcome {
  readonly folder: Folder;
  readonly seen: boolean;
  readonly flagged: boolean;
  readonly labels: readonly string[];
  readonly forwardTo: readonly MailboxInput[];
  readonly refuse: boolean;
}

export const asUsual: RuleOutcome = {
  folder: 'inbox',
  seen: false,
  flagged: false,
  labels: [],
  forwardTo: [],
  refuse: false,
};

/**
 * Tries the rules in their order. Later ones add to earlier ones, and the last folder counts.
 * @param automatic a program sent the message, so it is not forwarded: two rules could forward to each other without end
 */
export function applyRules(
  rules: readonly MailRule[],
  facts: MessageFacts,
  { automatic }: { readonly automatic: boolean },
): RuleOutcome {
  let outcome = asUsual;
  for (const { enabled, conditions, actions, stop } of rules) {
    if (!enabled || !holds(conditions, facts)) continue;
    outcome = {
      folder: actions.moveTo ?? outcome.folder,
      seen: outcome.seen || actions.markRead === true,
      flagged: outcome.flagged || actions.flag === true,
      labels: [...new Set([...outcome.labels, ...(actions.addLabels ?? [])])],
      forwardTo: automatic ? [] : [...outcome.forwardTo, ...(actions.forwardTo ?? [])],
      refuse: outcome.refuse || actions.refuse === true,
    };
    if (stop) break;
  }
  return outcome;
}

function holds(conditions: MailRule['conditions'], { summary, subject, size, hasAttachments }: MessageFacts): boolean {
  const { from, to, subject: part, largerThan, smallerThan, hasAttachments: wanted } = conditions;
  if (from !== undefined && !contains(textOf(summary.from), from)) return false;
  if (to !== undefined && ![...summary.to, ...summary.cc].some((one) => contains(textOf(one), to))) return false;
  if (part !== undefined && !contains(subject, part)) return false;
  if (largerThan !== undefined && size <= largerThan) return false;
  if (smallerThan !== undefined && size >= smallerThan) return false;
  return wanted === undefined || wanted === hasAttachments;
}

function textOf(address: Address): string {
  const mailbox = mailboxOf(address);
  return `${address.displayName ?? ''} <${address.address}> ${mailbox === undefined ? '' : shownAddress(mailbox)}`;
}

function contains(text: string, part: string): boolean {
  return folded(text).includes(folded(part));
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Plans what a rule forwards, in the transaction of the delivery. */
export async function planForwards(tx: Context, row: MailItemRow, { forwardTo }: RuleOutcome): Promise<void> {
  if (forwardTo.length === 0) return;
  const now = tx.clock.now();
  // More than a message may have would forward it to nobody.
  for (let from = 0; from < forwardTo.length; from += mailLimits.recipients) {
    const some = forwardTo.slice(from, from + mailLimits.recipients);
    const payload = { memberId: row.member_id, itemId: row.id, forwardTo: some };
    const id = `mail-forward/${row.id}${from === 0 ? '' : `/${from}`}`;
    await enqueue(tx.db, { id, kind: 'mail-forward', payload, runAt: now, now });
  }
}
