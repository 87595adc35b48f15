import type { Context } from '../../../service/context.ts';
import { mailboxIn } from '../message/address.ts';
import type { CalendarPart } from '../message/compose.ts';
import { mailboxOfMember, type Owner } from '../own-mailbox.ts';
import { sendWritten } from './send.ts';

export interface EventMail {
  /** mail addresses; those that are none are left out */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly calendar: CalendarPart;
  /** in the transaction that sends it */
  readonly after: (tx: Context) => Promise<void>;
}

/**
 * Mails a message about an event in the name of a member.
 * @throws Problem as the sending of other messages
 */
export async function sendEventMail(
  ctx: Context,
  owner: Owner,
  { recipients, subject, text, calendar, after }: EventMail,
): Promise<void> {
  const to = recipients.flatMap((address) => mailboxIn(address) ?? []);
  if (to.length === 0) return await after(ctx);
  const from = { ...mailboxOfMember(ctx, owner.username), displayName: owner.username };
  const written = { from, to, cc: [], bcc: [], subject, textBody: text, references: [], calendar };
  await sendWritten(ctx, owner, written, { after });
}
