import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { davRefusal } from '../../../service/dav-matching.ts';
import type { RecipientBusy } from '../../../service/ports/dav.ts';
import type { DavRange } from '../../../service/ports/dav-filters.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { mailDomain } from '../../../shared/members/mail-domain.ts';
import { membersNamed } from '../../../shared/members/named.ts';
import { calendarsOf, type OpenCalendar } from '../access.ts';
import { instancesIn } from '../events/instances-in.ts';
import { assertRange } from '../events/range.ts';
import { propertiesOf, propertyOf, textOf, type JcalComponent, type JcalProperty } from '../icalendar/jcal.ts';
import { isTime, wallMs } from '../icalendar/text/times.ts';
import { readCalendarFile } from '../icalendar/read/read.ts';
import { zonesOf } from '../objects/known-zones.ts';
import { createTurns } from '../turns.ts';
import { writeObject } from './large-objects.ts';

/** Members that one request asks about. */
const MOST_RECIPIENTS = 50;

/** When the time of calendars is taken, as VFREEBUSY. @throws Problem invalid VALIDATION_ERROR */
export async function busyText(
  ctx: Context,
  calendars: readonly OpenCalendar[],
  range: Required<DavRange>,
  about: Pick<FreeBusyText, 'method' | 'properties'> = {},
): Promise<string> {
  assertRange(range);
  const rows = await instancesIn(ctx, calendars, range, calendarLimits.instances + 1);
  // Some of them would look as if the rest of the time were free.
  if (rows.length > calendarLimits.instances)
    throw fieldProblem('end', `is too late: the range has more than ${calendarLimits.instances} events`);
  const busy = rows
    .filter(({ opaque }) => opaque === 1)
    .map((row): Busy => ({
      start: Math.max(row.start_at, range.from),
      end: Math.min(row.end_at, range.to),
      type: row.status === 'TENTATIVE' ? 'BUSY-TENTATIVE' : 'BUSY',
    }));
  return await freeBusyText(ctx, { ...about, range, busy: merged(busy) });
}

interface Busy {
  readonly start: number;
  readonly end: number;
  readonly type: 'BUSY' | 'BUSY-TENTATIVE';
}

/** Times of one type that touch become one. Nothing else of an event is told by them. */
function merged(all: readonly Busy[]): Busy[] {
  const found: Busy[] = [];
  for (const type of ['BUSY', 'BUSY-TENTATIVE'] as const) {
    const own = all.filter((one) => one.type === type && one.end > one.start).toSorted((a, b) => a.start - b.start);
    let open: { -readonly [Part in keyof Busy]: Busy[Part] } | undefined;
    for (const { start, end } of own) {
      if (open !== undefined && start <= open.end) open.end = Math.max(open.end, end);
      else {
        open = { start, end, type };
        found.push(open);
      }
    }
  }
  return found;
}

interface FreeBusyText {
  readonly range: Required<DavRange>;
  readonly busy: readonly Busy[];
  readonly method?: string;
  /** further ones, as of the request */
  readonly properties?: readonly JcalProperty[];
}

/** Bytes of one line, about. */
const LINE = 64;

async function freeBusyText(ctx: Context, { range, busy, method, properties = [] }: FreeBusyText): Promise<string> {
  const at = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  const component: JcalComponent = [
    'vfreebusy',
    [
      ['dtstamp', {}, 'date-time', at(ctx.clock.now())],
      ['dtstart', {}, 'date-time', at(range.from)],
      ['dtend', {}, 'date-time', at(range.to)],
      ...properties,
      ...busy.map((one): JcalProperty => ['freebusy', { fbtype: one.type }, 'period', [at(one.start), at(one.end)]]),
    ],
    [],
  ];
  const how = { form: {}, zone: 'UTC', ...(method !== undefined && { method }) };
  return await writeObject(ctx, ['vcalendar', [], [component]], how, busy.length * LINE);
}

/** Answers a request for free/busy of members (RFC 6638 5). @throws Problem forbidden FORBIDDEN with `c:valid-calendar-data` */
export async function requestBusy(ctx: Context, actor: Actor, bytes: Uint8Array): Promise<readonly RecipientBusy[]> {
  const { component, range } = requested(ctx, bytes);
  // Each once, however often it is named.
  const attendees = [...new Map(propertiesOf(component, 'attendee').map((one) => [textOf(one), one])).values()];
  if (attendees.length > MOST_RECIPIENTS) throw invalid(`Ask about at most ${MOST_RECIPIENTS} members at once.`);
  const kept = ['uid', 'organizer'].map((name) => propertyOf(component, name)).filter((one) => one !== undefined);
  const all = await calendarsOf(ctx, actor.memberId);
  const answers: RecipientBusy[] = [];
  const turns = createTurns();
  for (const attendee of attendees) {
    await turns.take();
    const recipient = textOf(attendee);
    const memberId = await memberAt(ctx, actor, recipient);
    // Of others it is what they share. Who shares nothing, and who does not exist, are alike.
    const visible = all.filter(({ owner_id: ownerId }) => ownerId === memberId);
    if (memberId !== actor.memberId && visible.length === 0)
      answers.push({ recipient, status: '3.7;Invalid calendar user' });
    else {
      const text = await busyText(ctx, visible, range, { method: 'REPLY', properties: [...kept, attendee] });
      answers.push({ recipient, status: '2.0;Success', text });
    }
  }
  return answers;
}

function requested(
  ctx: Context,
  bytes: Uint8Array,
): { readonly component: JcalComponent; readonly range: Required<DavRange> } {
  const component = freeBusyIn(ctx, bytes);
  const [from, to] = ['dtstart', 'dtend'].map((name) => textOf(propertyOf(component, name))) as [string, string];
  // They have to be UTC, and some programs leave that out.
  if (![from, to].every(isTime)) throw invalid('It must have a DTSTART and a DTEND in UTC.');
  const range = { from: wallMs(from), to: wallMs(to) };
  assertRange(range);
  return { component, range };
}

function freeBusyIn(ctx: Context, bytes: Uint8Array): JcalComponent {
  try {
    const file = readCalendarFile(bytes, zonesOf(ctx));
    const [first] = [...file.objects()];
    const component = first?.object?.jcal[2].find(([name]) => name === 'vfreebusy');
    if (file.total === 1 && file.calendars[0]?.method === 'REQUEST' && component !== undefined) return component;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'VALIDATION_ERROR') throw error;
  }
  throw invalid('It must be one VFREEBUSY with the METHOD REQUEST.');
}

function invalid(message: string): Problem {
  return davRefusal('forbidden', 'FORBIDDEN', 'c:valid-calendar-data', message);
}

/** Whom an address means: one of the mail of this node, or a principal. */
async function memberAt(ctx: Context, { memberId, username }: Actor, address: string): Promise<string | undefined> {
  const [, name, domain] = /^mailto:([^@\s]+)@([^@\s]+)$/i.exec(address.trim()) ?? [];
  if (name === undefined) return /\/principals\/([0-9a-f]+)\/?$/.exec(address)?.[1];
  if (domain?.toLowerCase() !== mailDomain(ctx)) return undefined;
  if (name.toLowerCase() === username.toLowerCase()) return memberId;
  const [member] = await membersNamed(ctx, [name]);
  return member?.id;
}
