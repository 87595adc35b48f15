import type { Context } from '../../../service/context.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { CalendarOutgoingRow } from '../../../platform/store/tables/calendar-invitations.ts';
import { insertRows, writtenQuery } from '../../../platform/store/written-query.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { uidKeyOf } from '../objects/content.ts';
import { planEarlier } from '../plan-earlier.ts';
import { uidOf } from '../objects/write.ts';
import { sealText } from './rows.ts';

/** The job that mails what a member has to say about events. */
export function outgoingJob(memberId: string) {
  return { id: `calendar-outgoing/${memberId}`, kind: 'calendar-outgoing', payload: { memberId } };
}

/** What changes within so long is one message. */
const TOGETHER_MS = 30_000;

export type Method = 'REQUEST' | 'CANCEL' | 'REPLY' | 'COUNTER' | 'DECLINECOUNTER' | 'REFRESH';

export interface Outgoing {
  /** from whose mailbox it goes */
  readonly memberId: string;
  readonly method: Method;
  readonly message: JcalComponent;
  /** mail addresses; and members of this node, as `memberRecipient` has them */
  readonly recipients: readonly string[];
  /** at once after the commit; otherwise what changes within half a minute is one message */
  readonly soon?: boolean;
}

const MEMBER = 'member:';

/** A member of this node among recipients. */
export function memberRecipient(memberId: string): string {
  return `${MEMBER}${memberId}`;
}

/** @returns undefined for a mail address */
export function memberIn(recipient: string): string | undefined {
  return recipient.startsWith(MEMBER) ? recipient.slice(MEMBER.length) : undefined;
}

const waiting = writtenQuery<CalendarOutgoingRow>(`
  select * from calendar_outgoing where member_id = $1 and uid_key = $2 order by id`);
const remove = writtenQuery('delete from calendar_outgoing where id = $1');
const without = writtenQuery('update calendar_outgoing set recipients = $1 where id = $2');

export function outgoingPurpose(id: string): string {
  return `calendar-outgoing:${id}`;
}

/** Replaced by what is said later about the same event: whoever has not heard of the one hears of the other alone. */
const replaced: Readonly<Record<Method, readonly string[]>> = {
  REQUEST: ['REQUEST', 'CANCEL'],
  CANCEL: ['REQUEST', 'CANCEL'],
  REPLY: ['REPLY'],
  COUNTER: ['COUNTER'],
  DECLINECOUNTER: [],
  REFRESH: ['REFRESH'],
};

/** Has a message mailed within half a minute, after the commit of the running transaction. */
export async function queueMail(
  tx: Context,
  { memberId, method, message, recipients, soon = false }: Outgoing,
): Promise<void> {
  if (recipients.length === 0) return;
  const now = tx.clock.now();
  const uidKey = uidKeyOf(tx, uidOf(message));
  const wanted = new Set(recipients);
  let dueAt = soon ? now : now + TOGETHER_MS;
  for (const row of (await tx.db.executeQuery(waiting(memberId, uidKey))).rows) {
    if (!replaced[method].includes(row.method)) continue;
    const there = JSON.parse(row.recipients) as string[];
    const left = there.filter((address) => !wanted.has(address));
    if (left.length === there.length) continue;
    // Of changes that go on and on something is heard all the same.
    dueAt = Math.min(dueAt, row.due_at);
    await tx.db.executeQuery(left.length === 0 ? remove(row.id) : without(JSON.stringify(left), row.id));
  }
  const id = recordId(now, tx.random);
  const row: CalendarOutgoingRow = {
    id,
    member_id: memberId,
    uid_key: uidKey,
    method,
    recipients: JSON.stringify(recipients),
    due_at: dueAt,
    sealed: sealText(tx, outgoingPurpose(id), JSON.stringify(message)),
  };
  await insertRows(tx.db, 'calendar_outgoing', [row]);
  await planEarlier(tx, { ...outgoingJob(memberId), runAt: dueAt });
}
