import type { Context } from '../../../service/context.ts';
import { mailboxIn, type Mailbox } from '../message/address.ts';
import { nodeServing } from '../network/routes.ts';
import { mailboxOfMember, type Owner } from '../own-mailbox.ts';
import { checkedMessage, sendWritten } from './send.ts';

/** E-mail that the calendar sends in the name of a member. */
export interface CalendarMail {
  readonly owner: Owner;
  /** An address alone: whoever names it chooses no words that the member sends. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** the file that calendar programs read */
  readonly ics: string;
  /** in the transaction that sends it */
  readonly before: (tx: Context) => Promise<void>;
}

/** Whether a node of the pool, or this one, serves the domain of an address. */
export async function isServedAddress(ctx: Context, address: string): Promise<boolean> {
  const mailbox = mailboxIn(address);
  return mailbox !== undefined && (await nodeServing(ctx, mailbox.domain)) !== undefined;
}

/** Sends it from the mailbox of the member, who has a copy among what was sent. @throws Problem invalid VALIDATION_ERROR */
export async function sendCalendarMail(ctx: Context, mail: CalendarMail): Promise<void> {
  const { owner, to, subject, text, ics } = mail;
  const mailbox = mailboxIn(to);
  if (mailbox === undefined) return;
  const written = checkedMessage(ctx, owner, {
    from: mailboxOfMember(ctx, owner.username),
    to: [named(mailbox)],
    cc: [],
    bcc: [],
    subject: subject.slice(0, 200),
    textBody: text,
  });
  const attachments = [
    {
      filename: 'appointment.ics',
      contentType: 'text/calendar',
      content: Buffer.from(ics).toString('base64'),
    },
  ];
  await sendWritten(ctx, owner, { ...written, automatic: true }, { attachments, before: mail.before });
}

function named({ localPart, domain }: Mailbox): { localPart: string; domain: string } {
  return { localPart, domain };
}
