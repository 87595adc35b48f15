import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { exporting } from '../../contract/calendar/export.ts';
import type { InputOf } from '../../contract/operation.ts';
import { utf8 } from '../../crypto/bytes.ts';
import type { Download } from '../../service/raw-bodies.ts';
import { requireCalendar } from './access.ts';
import { showCalendar } from './calendars.ts';
import { jsonFormats } from './exporting/json.ts';
import { objectsSeen } from './exporting/pages.ts';
import { calendarText } from './icalendar/write.ts';
import { zonesOf } from './objects/known-zones.ts';

type Contract = typeof exporting;

export async function exportIcs(
  ctx: Context,
  { memberId }: Actor,
  { calendarId, accept }: InputOf<Contract['exportIcs']>,
): Promise<Download> {
  const calendar = await requireCalendar(ctx, memberId, calendarId, 'viewer');
  const { name, about: description, color, zone: timezone } = calendar;
  const text = () =>
    calendarText(objectsSeen(ctx, { memberId, calendar }), zonesOf(ctx), { name, description, color, timezone });
  const headers = { vary: 'accept' };
  if (accept === 'json') return { type: 'application/json', headers, content: { flow: () => asJson(text()) } };
  return {
    type: 'text/calendar; charset=utf-8',
    headers,
    filename: `${name}.ics`,
    content: { flow: () => asBytes(text()) },
  };
}

async function* asBytes(text: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of text) yield utf8(piece);
}

async function* asJson(text: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  yield utf8('{"icsData":"');
  // No piece ends inside of a letter.
  for await (const piece of text) yield utf8(JSON.stringify(piece).slice(1, -1));
  yield utf8('"}');
}

const types = {
  native: 'application/json',
  jcal: 'application/calendar+json',
  jscalendar: 'application/jscalendar+json',
} as const;

export async function exportJson(
  ctx: Context,
  actor: Actor,
  { calendarId, format }: InputOf<Contract['exportJson']>,
): Promise<Download> {
  const { memberId } = actor;
  const calendar = await requireCalendar(ctx, memberId, calendarId, 'viewer');
  const { subscriptionUrl: _, ...shown } = (await showCalendar(ctx, actor, { id: calendarId })).calendar;
  return {
    type: types[format],
    filename: `${calendar.name}.json`,
    content: { flow: () => jsonFormats[format](ctx, { memberId, calendar }, shown) },
  };
}
export { importIcs, showImport } from './imports/importing.ts';
