import { createHmac } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../../service/context.ts';
import type { LinkDetail } from '../../../contract/calendar/limits.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { deriveKey } from '../../../crypto/hkdf.ts';
import type { CalendarRow, EventRunRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { BUSY } from '../events/dto.ts';
import { objectsSeen } from '../exporting/pages.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { calendarText } from '../icalendar/write.ts';
import { zonesOf } from '../objects/known-zones.ts';
import { lengths, periodOf, periodText } from '../objects/periods.ts';
import { openContentKey } from '../own-calendars.ts';
import { instancesOf, type EventInstance } from '../objects/runs.ts';

/** Nobody has this id. */
const NOBODY = '';
/** Rows that are read at a time. */
const TOGETHER = 500;

/** A calendar for those who know its secret address, piece by piece. */
export async function* publicText(ctx: Context, calendar: CalendarRow, detail: LinkDetail): AsyncGenerator<Uint8Array> {
  const { name, color, zone: timezone, about } = calendar;
  const isWhole = detail === 'viewer';
  const objects = isWhole ? eventsSeen(ctx, calendar) : timesTaken(ctx, calendar);
  const said = { name, color, timezone, ...(isWhole && { description: about }) };
  for await (const piece of calendarText(objects, zonesOf(ctx), said)) yield utf8(piece);
}

/** As somebody sees them whom the calendar is shared with. When the owner wants to be reminded is nobody else's. */
async function* eventsSeen(ctx: Context, calendar: CalendarRow): AsyncGenerator<JcalComponent> {
  const reader = { memberId: NOBODY, calendar: { ...calendar, permission: 'viewer' as const } };
  for await (const [kind, properties, components] of objectsSeen(ctx, reader))
    yield [kind, properties, components.map(withoutAlarms)];
}

function withoutAlarms([name, properties, components]: JcalComponent): JcalComponent {
  return [name, properties, components.filter(([inner]) => inner !== 'valarm')];
}

type Taken = Pick<EventInstance, 'object_id' | 'recurrence' | 'start_at' | 'end_at' | 'status'>;

const nextPeriod = writtenQuery<{ period: number }>(`
  select ${periodText} as period from event_runs
  where calendar_id = $1 and long = $2 and ${periodText} > $3 order by ${periodText} limit 1`);
const taken = writtenQuery<EventRunRow>(`
  select * from event_runs
  where calendar_id = $1 and long = $2 and ${periodText} = $3 and (object_id, recurrence) > ($4, $5)
  order by object_id, recurrence limit ${TOGETHER}`);

/** Only when something happens that takes time, in the order of time within each period: nobody learns what belongs together. */
async function* timesTaken(ctx: Context, calendar: CalendarRow): AsyncGenerator<JcalComponent> {
  const key = openContentKey(ctx, calendar);
  const uidKey = deriveKey(key, 'conclave/calendar/public-uid/v1');
  key.fill(0);
  const stamp = `${new Date(calendar.created_at).toISOString().slice(0, 19)}Z`;
  for (const long of lengths)
    for await (const rows of periodsOf(ctx, calendar.id, long))
      for (const row of rows.sort(inOrder)) yield busyObject(uidKey, row, stamp);
}

function inOrder(one: Taken, other: Taken): number {
  return one.start_at - other.start_at || (one.object_id < other.object_id ? -1 : 1);
}

/** The instances that take time, of each period in which there are some. */
async function* periodsOf({ db }: Context, calendarId: string, long: number): AsyncGenerator<Taken[]> {
  for (let before = periodOf(Number.MIN_SAFE_INTEGER); ;) {
    const [next] = (await db.executeQuery(nextPeriod(calendarId, long, before))).rows;
    if (next === undefined) return;
    const found: Taken[] = [];
    for (let after: readonly unknown[] | undefined = ['', Number.MIN_SAFE_INTEGER]; after !== undefined;) {
      const { rows }: { rows: EventRunRow[] } = await db.executeQuery(taken(calendarId, long, next.period, ...after));
      for (const run of rows) if (run.opaque === 1) found.push(...instancesOf(run));
      const last = rows.at(-1);
      after = last === undefined || rows.length < TOGETHER ? undefined : [last.object_id, last.recurrence];
      await nextTurn();
    }
    yield found;
    before = next.period;
  }
}

/** An instance that moves is another one, so that no program compares what it has with an older one. */
function busyObject(uidKey: Uint8Array, row: Taken, stamp: string): JcalComponent {
  const [start, end] = [row.start_at, row.end_at].map((at) => `${new Date(at).toISOString().slice(0, 19)}Z`);
  const uid = createHmac('sha256', uidKey)
    .update(JSON.stringify([row.object_id, row.recurrence, start, end]))
    .digest('hex')
    .slice(0, 32);
  return [
    'vcalendar',
    [],
    [
      [
        'vevent',
        [
          ['uid', {}, 'text', uid],
          ['dtstamp', {}, 'date-time', stamp],
          ['dtstart', {}, 'date-time', start ?? ''],
          ['dtend', {}, 'date-time', end ?? ''],
          ['summary', {}, 'text', BUSY],
          ...(row.status === 'TENTATIVE' ? [['status', {}, 'text', 'TENTATIVE'] as const] : []),
        ],
        [],
      ],
    ],
  ];
}
