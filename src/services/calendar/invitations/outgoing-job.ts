import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import type { CalendarOutgoingRow } from '../../../platform/store/tables/calendar-invitations.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { notify } from '../../../shared/notifications/notify.ts';
import { componentsOf, propertyOf, textOf, withProperties, type JcalComponent } from '../icalendar/jcal.ts';
import { keyOf, organizerOf } from '../icalendar/fields/people.ts';
import { objectText } from '../icalendar/write.ts';
import { organizerParty, withEvents, withParams } from '../itip/self.ts';
import { zonesOf, zonesOfObject } from '../objects/known-zones.ts';
import { deliverHere } from './announce.ts';
import { memberIn, outgoingJob, outgoingPurpose, type Method } from './outgoing.ts';
import { membersById, type MemberPerson } from './people.ts';
import { objectOf, openText } from './rows.ts';
import { whenText } from './when-text.ts';

/** Recipients of one message. */
const TOGETHER = 100;

/** How messages about events are mailed. */
export type SendMail = (
  ctx: Context,
  owner: { readonly memberId: string; readonly username: string },
  mail: {
    readonly recipients: readonly string[];
    readonly subject: string;
    readonly text: string;
    readonly calendar: { readonly method: string; readonly text: string };
    readonly before: (tx: Context) => Promise<void>;
  },
) => Promise<void>;

const nextDue = writtenQuery<CalendarOutgoingRow>(`
  select * from calendar_outgoing where member_id = $1 order by due_at, id limit 1`);
const remove = writtenQuery('delete from calendar_outgoing where id = $1');
const left = writtenQuery('update calendar_outgoing set recipients = $1 where id = $2');

/** Mails what a member has to say about events, each message to each recipient once. */
export function outgoingHandler(ctx: Context, send: SendMail): JobHandler {
  return async (payload, { attempt, signal }) => {
    const { memberId } = payload as { readonly memberId: string };
    while (!signal.aborted) {
      const [row] = (await ctx.db.executeQuery(nextDue(memberId))).rows;
      if (row === undefined) return;
      const now = ctx.clock.now();
      if (row.due_at > now) {
        await transaction(ctx, async (tx) => await planNext(tx, memberId));
        return;
      }
      await mail(ctx, row, send, attempt);
    }
    // What is left, another process does.
    signal.throwIfAborted();
  };
}

async function planNext(tx: Context, memberId: string): Promise<void> {
  // Whoever has something to say at once waits, and plans it then.
  await lockMembers(tx, [memberId]);
  const [row] = (await tx.db.executeQuery(nextDue(memberId))).rows;
  const now = tx.clock.now();
  if (row !== undefined) await planJob(tx.db, { ...outgoingJob(memberId), runAt: Math.max(row.due_at, now), now });
}

/** After so many tries what fails for reasons that nobody knows is given up too. */
const TRIES = 3;

async function mail(ctx: Context, row: CalendarOutgoingRow, send: SendMail, attempt: number): Promise<void> {
  const sender = (await membersById(ctx, [row.member_id])).get(row.member_id);
  if (sender?.active !== true) return await transaction(ctx, async (tx) => await drop(tx, row));
  const recipients = JSON.parse(row.recipients) as string[];
  try {
    if (recipients.some((one) => memberIn(one) !== undefined)) await deliverSome(ctx, row, recipients, sender);
    else await mailAll(ctx, row, recipients, sender, send);
  } catch (error) {
    // What can never be sent must not keep back what comes after it.
    if (!isForGood(error, attempt)) throw error;
    ctx.log.warn('a message about an event could not be mailed', { memberId: row.member_id, error });
    await transaction(ctx, async (tx) => await giveUp(tx, row, error));
  }
}

const byId = writtenQuery<CalendarOutgoingRow>('select * from calendar_outgoing where id = $1');

const unsaid: Readonly<Record<Method, string>> = {
  REQUEST: 'Your invitation',
  CANCEL: 'Your cancellation',
  REPLY: 'Your answer to an invitation',
  COUNTER: 'The time that you proposed',
  DECLINECOUNTER: 'Your answer to a proposed time',
  REFRESH: 'Your question for an invitation',
};

/** Drops what can never be sent, and tells its sender whom it did not reach. */
async function giveUp(tx: Context, { id, member_id: memberId }: CalendarOutgoingRow, error: unknown): Promise<void> {
  await lockMembers(tx, [memberId]);
  // Some may have got it before.
  const row = (await tx.db.executeQuery(byId(id))).rows[0];
  if (row === undefined) return;
  await drop(tx, row);
  const recipients = JSON.parse(row.recipients) as string[];
  const addresses = recipients.filter((one) => memberIn(one) === undefined);
  const whom = addresses.length === 0 ? `${recipients.length} members of this node` : shortList(addresses);
  const why =
    error instanceof Problem && error.code === 'STORAGE_QUOTA_EXCEEDED'
      ? 'your storage is full. Delete what you do not need, and tell them again'
      : 'it could not be sent. Tell them some other way';
  await notify(tx, {
    recipientId: memberId,
    type: 'email_failed',
    targetId: (await objectOf(tx, memberId, row.uid_key))?.id,
    content: `${unsaid[row.method as Method]} did not reach ${whom}: ${why}.`,
  });
}

const NAMED = 3;

function shortList(addresses: readonly string[]): string {
  const named = addresses.slice(0, NAMED).map((one) => one.slice(0, 100));
  const others = addresses.length - named.length;
  return `${named.join(', ')}${others === 0 ? '' : ` and ${others} more`}`;
}

function isForGood(error: unknown, attempt: number): boolean {
  if (!(error instanceof Problem)) return attempt >= TRIES;
  return error.code === 'STORE_DAMAGED' || (error.kind !== 'unavailable' && error.kind !== 'internal');
}

async function drop({ db }: Pick<Context, 'db'>, { id }: CalendarOutgoingRow): Promise<void> {
  await db.executeQuery(remove(id));
}

async function mailAll(
  ctx: Context,
  row: CalendarOutgoingRow,
  recipients: readonly string[],
  sender: MemberPerson,
  send: SendMail,
): Promise<void> {
  const method = row.method as Method;
  const stored = JSON.parse(openText(ctx, outgoingPurpose(row.id), row.sealed)) as JcalComponent;
  const message = sentBy(stored, method, sender);
  const calendar = { method, text: objectText(message, zonesOf(ctx), { method }) };
  const words = wordsOf(ctx, message, method, sender);
  const owner = { memberId: row.member_id, username: sender.username };
  for (let at = 0; at < recipients.length; at += TOGETHER) {
    const rest = recipients.slice(at + TOGETHER);
    const before = async (tx: Context): Promise<void> => {
      if (rest.length === 0) await drop(tx, row);
      else await tx.db.executeQuery(left(JSON.stringify(rest), row.id));
    };
    await send(ctx, owner, { recipients: recipients.slice(at, at + TOGETHER), ...words, calendar, before });
  }
}

/** Members of one transaction. */
const MEMBERS = 10;

/** Gives members of this node what is said, some in each transaction. */
async function deliverSome(
  ctx: Context,
  row: CalendarOutgoingRow,
  recipients: readonly string[],
  sender: MemberPerson,
): Promise<void> {
  const message = JSON.parse(openText(ctx, outgoingPurpose(row.id), row.sealed)) as JcalComponent;
  const from = { memberId: sender.userId, key: keyOf(sender) };
  const some = recipients.slice(0, MEMBERS);
  const rest = recipients.slice(MEMBERS);
  await transaction(ctx, async (tx) => {
    const ids = some.flatMap((one) => memberIn(one) ?? []);
    await lockMembers(tx, ids);
    const people = await membersById(tx, ids);
    for (const id of ids) {
      const person = people.get(id);
      if (person?.active !== true) continue;
      const recipient = { memberId: id, key: keyOf(person) };
      const local = { recipient, sender: from, senderName: sender.username, message };
      await deliverHere(tx, row.method === 'CANCEL' ? 'CANCEL' : 'REQUEST', local);
    }
    await tx.db.executeQuery(rest.length === 0 ? remove(row.id) : left(JSON.stringify(rest), row.id));
  });
}

/** Whoever acts for the organizer says so (RFC 6047 2.2): recipients compare it with the sender of the mail. */
function sentBy(message: JcalComponent, method: Method, sender: MemberPerson): JcalComponent {
  if (method === 'REPLY' || method === 'COUNTER' || method === 'REFRESH') return message;
  const organizer = organizerParty(message);
  if (organizer === undefined || organizer.memberId === sender.userId || sender.email === undefined) return message;
  return withEvents(message, (event) => {
    const property = propertyOf(event, 'organizer');
    if (property === undefined) return event;
    return withProperties(event, ['organizer'], [withParams(property, { 'sent-by': `mailto:${sender.email}` })]);
  });
}

const answers: Readonly<Record<string, string>> = {
  ACCEPTED: 'Accepted',
  DECLINED: 'Declined',
  TENTATIVE: 'Maybe',
};

function wordsOf(ctx: Context, message: JcalComponent, method: Method, sender: MemberPerson) {
  const [event] = componentsOf(message, 'vevent');
  const text = (name: string): string => (event === undefined ? '' : textOf(propertyOf(event, name)));
  const title = text('summary').replaceAll(/\s+/g, ' ').trim() || 'Event';
  const attendee = event?.[1].find(([name]) => name === 'attendee')?.[1]['partstat'];
  const answer = answers[typeof attendee === 'string' ? attendee : ''] ?? 'Answer';
  const heads: Readonly<Record<Method, string>> = {
    REQUEST: 'Invitation',
    CANCEL: 'Cancelled',
    REPLY: answer,
    COUNTER: 'Other time proposed',
    DECLINECOUNTER: 'Proposed time declined',
    REFRESH: 'Invitation asked for again',
  };
  const when = event && whenText(event, zonesOfObject(zonesOf(ctx), 'UTC', message));
  const organizer = event && organizerOf(event);
  const lines = [
    `${heads[method]}: ${title}`,
    '',
    ...(when === undefined ? [] : [`When: ${when}`]),
    ...(text('location') === '' ? [] : [`Where: ${text('location')}`]),
    ...(organizer === undefined ? [] : [`Organizer: ${organizer.displayName ?? organizer.email ?? ''}`]),
    `From: ${sender.username}`,
    ...(text('comment') === '' ? [] : ['', text('comment')]),
    ...(method !== 'REQUEST' || text('description') === '' ? [] : ['', text('description')]),
  ];
  return { subject: `${heads[method]}: ${shortened(title)}`, text: `${lines.join('\n')}\n` };
}

/** So that the line stays within what mail allows, whatever alphabet it has. */
function shortened(title: string): string {
  return Array.from(title).slice(0, 200).join('');
}
