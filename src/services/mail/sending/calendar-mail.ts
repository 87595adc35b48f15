import type { Context } from '../../../service/context.ts';
import type { Delivery } from '../../../contract/calendar/limits.ts';
import { mailboxIn } from '../message/address.ts';
import type { CalendarPart } from '../message/compose.ts';
import { nodeServing } from '../network/routes.ts';
import { mailboxOfMember, type Owner } from '../own-mailbox.ts';
import { hasRelay } from './relay.ts';
import { sendWritten } from './send.ts';

/** E-mail that the calendar sends in the name of a member. */
export interface CalendarMail {
  /** Addresses alone: whoever names them chooses no words that the member sends. Those that are none are left out. */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** a message about an event, for calendar programs (RFC 6047) */
  readonly calendar?: CalendarPart;
  /** iCalendar, as a file that people open */
  readonly ics?: string;
  /** a program sends it, so that no other one answers */
  readonly automatic?: boolean;
  /** in the transaction that sends it, once */
  readonly before: (tx: Context) => Promise<void>;
}

/** How mail of the calendar goes to an address. */
export async function deliveryTo(ctx: Context, address: string): Promise<Delivery> {
  const mailbox = mailboxIn(address);
  if (mailbox === undefined) return 'NO_ROUTE';
  if ((await nodeServing(ctx, mailbox.domain)) !== undefined) return 'MAIL';
  return hasRelay(ctx) ? 'RELAY' : 'NO_ROUTE';
}

/**
 * Sends it from the mailbox of the member, who has a copy among what was sent, and a notice if it fails: within the pool, and over the mail relay
 * to addresses that no node serves.
 * @throws Problem as the sending of other messages
 */
export async function sendCalendarMail(ctx: Context, owner: Owner, mail: CalendarMail): Promise<void> {
  const { recipients, subject, text, calendar, ics, automatic = false, before } = mail;
  const to = recipients.flatMap((address) => mailboxIn(address) ?? []);
  if (to.length === 0) return await before(ctx);
  const written = {
    from: { ...mailboxOfMember(ctx, owner.username), displayName: owner.username },
    to,
    cc: [],
    bcc: [],
    subject,
    textBody: text,
    references: [],
    automatic,
    ...(calendar !== undefined && { calendar }),
  };
  const attachments = ics === undefined ? [] : [icsFile(ics)];
  await sendWritten(ctx, owner, written, { attachments, relay: true, unseen: true, before });
}

function icsFile(ics: string) {
  return {
    filename: 'appointment.ics',
    contentType: 'text/calendar',
    content: Buffer.from(ics).toString('base64'),
  };
}
