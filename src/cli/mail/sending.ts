import { Flags } from '@oclif/core';
import type { Caller } from '../../client/perform.ts';
import { perform } from '../../client/perform.ts';
import type { DeliveryStatuses, MailboxInput } from '../../contract/mail/fields.ts';
import { mail } from '../../contract/mail.ts';
import { Problem } from '../../base/problem.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { halvesOf, mailboxesFrom } from './recipients.ts';

const addresses = { helpValue: 'ADDRESS', multiple: true, multipleNonGreedy: true } as const;

export const recipientFlags = {
  to: Flags.string({ description: 'recipient, as a@b or "Name <a@b>"; repeat for more', ...addresses }),
  cc: Flags.string({ description: 'recipient of a copy; repeat for more', ...addresses }),
  bcc: Flags.string({ description: 'recipient of whom the others do not learn; repeat for more', ...addresses }),
};

export const contentFlags = {
  'body-file': Flags.string({
    description: 'file with the text (- for standard input); without it an editor on a terminal, or standard input',
    helpValue: 'FILE',
  }),
  'html-file': Flags.string({ description: 'file with the text as HTML (- for standard input)', helpValue: 'FILE' }),
  attach: Flags.string({
    description: 'file to attach, at most 25 MiB; repeat for more',
    helpValue: 'FILE',
    multiple: true,
    multipleNonGreedy: true,
  }),
};

export const timeFlags = {
  at: Flags.string({ description: 'send then: 2027-01-31T08:00:00Z, or 90m from now', helpValue: 'TIME' }),
  undo: Flags.string({
    description: 'wait so long, such as 10s; meanwhile it can be taken back',
    helpValue: 'DURATION',
    exclusive: ['at'],
  }),
};

export const forwardFlags = {
  to: recipientFlags.to,
  'body-file': Flags.string({ description: 'file with your text (- for standard input)', helpValue: 'FILE' }),
  ...timeFlags,
};

interface RecipientFlags {
  readonly to?: readonly string[] | undefined;
  readonly cc?: readonly string[] | undefined;
  readonly bcc?: readonly string[] | undefined;
}

/** @throws Problem invalid USAGE for what is no address */
export function recipientsOf({ to = [], cc = [], bcc = [] }: RecipientFlags): {
  readonly to: MailboxInput[];
  readonly cc: MailboxInput[];
  readonly bcc: MailboxInput[];
} {
  return { to: mailboxesFrom(to, '--to'), cc: mailboxesFrom(cc, '--cc'), bcc: mailboxesFrom(bcc, '--bcc') };
}

/** @throws Problem invalid USAGE when nobody is named */
export function assertSomebody(recipients: ReturnType<typeof recipientsOf>): void {
  if (Object.values(recipients).some((some) => some.length > 0)) return;
  throw new Problem('invalid', 'USAGE', 'The recipients are missing. Name somebody with --to.');
}

/** The mailbox of the caller, with a name that recipients see. */
export async function ownMailbox(caller: Caller, displayName?: string): Promise<MailboxInput> {
  const { address } = await perform(caller, mail.listMailboxes, {});
  return { ...halvesOf(address), ...(displayName !== undefined && { displayName }) };
}

export interface SentMessage {
  readonly id: string;
  readonly subject: string;
  readonly deliveryStatus: DeliveryStatuses;
  /** addresses that were left out */
  readonly skipped?: readonly string[];
}

/** Names of members become addresses. @param domain of the node */
export function completed<Lists extends Readonly<Record<string, readonly MailboxInput[]>>>(
  lists: Lists,
  domain: string,
): { readonly [Name in keyof Lists]: MailboxInput[] } {
  const all = Object.entries(lists).map(([name, list]) => [
    name,
    list.map((one) => (one.domain === '' ? { ...one, domain } : one)),
  ]);
  return Object.fromEntries(all) as never;
}

/** As `completed`, and asks for the domain if it is needed. */
export async function completedBy<Lists extends Readonly<Record<string, readonly MailboxInput[]>>>(
  caller: Caller,
  lists: Lists,
): Promise<ReturnType<typeof completed<Lists>>> {
  const isNeeded = Object.values(lists).some((list) => list.some(({ domain }) => domain === ''));
  return completed(lists, isNeeded ? (await ownMailbox(caller)).domain : '');
}

/** Recipients who will not get it. */
export function undelivered({ deliveryStatus }: SentMessage): string[] {
  return Object.entries(deliveryStatus).flatMap(([address, status]) => (status === 'FAILED' ? [address] : []));
}

/** What was sent, and what became of it so far. @param sendAt when it leaves, if that is later */
export function sentText({ id, subject, deliveryStatus }: SentMessage, sendAt: string | undefined): string {
  const statuses = Object.entries(deliveryStatus).map(([address, status]) => `${address}: ${status}`);
  const title = subject === '' ? 'the message' : JSON.stringify(subject);
  const isLost = statuses.length > 0 && undelivered({ id, subject, deliveryStatus }).length === statuses.length;
  const said = isLost ? `Nobody gets ${title}, ${id}.` : `Sent ${title}, ${id}.`;
  const first = sendAt === undefined ? said : `${title} leaves at ${sendAt}: ${id}.`;
  return [first.charAt(0).toUpperCase() + first.slice(1), ...statuses].map(escapeForTerminal).join('\n');
}

/** What to do next. */
export function afterSending({ id }: SentMessage, sendAt: string | undefined): string {
  return sendAt === undefined
    ? `To see what became of it, run: conclave mail status ${id}`
    : `To take it back until then, run: conclave mail cancel ${id}`;
}
