import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { davRefusal } from '../../../service/dav-matching.ts';
import type { RecipientBusy } from '../../../service/ports/dav.ts';
import type { DavRange } from '../../../service/ports/dav-filters.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { membersNamed } from '../../../shared/members/named.ts';
import type { OpenCalendar } from '../access.ts';
import { instancesIn } from '../events/instances-in.ts';
import { assertRange } from '../events/range.ts';
import { propertiesOf, propertyOf, textOf, type JcalComponent, type JcalProperty } from '../icalendar/jcal.ts';
import { isTime, wallMs } from '../icalendar/text/times.ts';
import { readCalendarFile } from '../icalendar/read/read.ts';
import { usernameOf } from '../invitations/people.ts';
import { zonesOf } from '../objects/known-zones.ts';
import { busyIn } from '../scheduling/busy-in.ts';
import { mergeBusy, type BusyTime } from '../scheduling/merge-busy.ts';
import { visibleCalendars } from '../scheduling/visible-calendars.ts';
import { createTurns } from '../turns.ts';
import { writeObject } from './large-objects.ts';

/** Members that one request asks about. */
const MOST_RECIPIENTS = 50;

/** When the time of calendars is taken, as VFREEBUSY. @throws Problem invalid VALIDATION_ERROR */
export async function busyText(
  ctx: Context,
  calendars: readonly OpenCalendar[],
  range: Required<DavRange>,
): Promise<string> {
  assertRange(range);
  const rows = await instancesIn(ctx, calendars, range, calendarLimits.instances + 1);
  // Some of them would look as if the rest of the time were free.
  if (rows.length > calendarLimits.instances)
    throw fieldProblem('end', `is too late: the range has more than ${calendarLimits.instances} events`);
  const busy = rows
    .filter(({ opaque }) => opaque === 1)
    .map((row): BusyTime => ({
      start: row.start_at,
      end: row.end_at,
      type: row.status === 'TENTATIVE' ? 'BUSY-TENTATIVE' : 'BUSY',
    }));
  return await freeBusyText(ctx, { range, busy: mergeBusy(busy, range) });
}

interface FreeBusyText {
  readonly range: Required<DavRange>;
  readonly busy: readonly BusyTime[];
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
  const ids = await membersAt(ctx, actor, attendees.map(textOf));
  const wanted = new Set(ids.filter((id) => id !== undefined));
  // Who does not exist is asked for likewise, and takes as much work as others.
  const calendars = await visibleCalendars(ctx, actor.memberId, wanted.size === 0 ? [NOBODY] : [...wanted]);
  const times = await busyIn(ctx, calendars, range);
  const answers: RecipientBusy[] = [];
  const turns = createTurns();
  for (const [at, attendee] of attendees.entries()) {
    await turns.take();
    const recipient = textOf(attendee);
    const busy = times.get(ids[at] ?? NOBODY);
    if (busy === undefined) answers.push({ recipient, status: '3.7;Invalid calendar user' });
    else {
      const text = await freeBusyText(ctx, { method: 'REPLY', properties: [...kept, attendee], range, busy });
      answers.push({ recipient, status: '2.0;Success', text });
    }
  }
  return answers;
}

/** No member has this id. */
const NOBODY = '';

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

/** Whom addresses mean: those of the mail of this node, and principals. */
async function membersAt(
  ctx: Context,
  { memberId, username }: Actor,
  addresses: readonly string[],
): Promise<(string | undefined)[]> {
  const names = addresses.map((address) => usernameOf(ctx, /^mailto:(\S+)$/i.exec(address.trim())?.[1] ?? ''));
  const members = await membersNamed(
    ctx,
    names.map((name) => name ?? ''),
  );
  return addresses.map((address, at) => {
    if (names[at] === undefined) return /\/principals\/([0-9a-f]+)\/?$/.exec(address)?.[1];
    return names[at] === username.toLowerCase() ? memberId : members[at]?.id;
  });
}
