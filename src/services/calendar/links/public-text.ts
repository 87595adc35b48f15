import { createHmac } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../../service/context.ts';
import type { LinkDetail } from '../../../contract/calendar/limits.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { deriveKey } from '../../../crypto/hkdf.ts';
import type { CalendarRow, EventInstanceRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { BUSY } from '../events/dto.ts';
import { objectsSeen } from '../exporting/pages.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { calendarText } from '../icalendar/write.ts';
import { zonesOf } from '../objects/known-zones.ts';
import { openContentKey } from '../own-calendars.ts';

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

const taken = writtenQuery<EventInstanceRow>(`
  select * from event_instances where calendar_id = $1 and long = $2 and (start_at, object_id, recurrence) > ($3, $4, $5)
  order by start_at, object_id, recurrence limit ${TOGETHER}`);

/** Only when something happens that takes time: nobody learns what belongs together. */
async function* timesTaken(ctx: Context, calendar: CalendarRow): AsyncGenerator<JcalComponent> {
  const key = openContentKey(ctx, calendar);
  const uidKey = deriveKey(key, 'conclave/calendar/public-uid/v1');
  key.fill(0);
  const stamp = `${new Date(calendar.created_at).toISOString().slice(0, 19)}Z`;
  for (const long of [0, 1])
    for (let after: readonly unknown[] | undefined = [Number.MIN_SAFE_INTEGER, '', 0]; after !== undefined;) {
      const { rows }: { rows: EventInstanceRow[] } = await ctx.db.executeQuery(taken(calendar.id, long, ...after));
      for (const row of rows) if (row.opaque === 1) yield busyObject(uidKey, row, stamp);
      const last = rows.at(-1);
      after =
        last === undefined || rows.length < TOGETHER ? undefined : [last.start_at, last.object_id, last.recurrence];
      await nextTurn();
    }
}

/** An instance that moves is another one, so that no program compares what it has with an older one. */
function busyObject(uidKey: Uint8Array, row: EventInstanceRow, stamp: string): JcalComponent {
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
