import type { ImportResult } from '../../../src/contract/calendar/export.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import type { CalendarScene } from './calendar-scene.ts';
import { crlf, readAll } from './icalendar/support.ts';

/** Files of calendars, and what is done with them over the API. */

export type Who = Pick<HouseMember, 'token'>;

export const root = (calendarId: string) => `/api/cal/export/${calendarId}`;

export interface SendOptions {
  readonly mode?: string;
  /** the Idempotency-Key */
  readonly key?: string;
}

export async function sent(
  { house }: CalendarScene,
  { token }: Who,
  calendarId: string,
  file: string | Uint8Array<ArrayBuffer>,
  { mode, key }: SendOptions = {},
) {
  const headers = { 'content-type': 'text/calendar', ...(key !== undefined && { 'idempotency-key': key }) };
  const query = mode === undefined ? '' : `?duplicateMode=${mode}`;
  return await house.api('POST', `${root(calendarId)}/import${query}`, { token, rawBody: file, headers });
}

export async function imported(
  scene: CalendarScene,
  who: Who,
  calendarId: string,
  file: string | Uint8Array<ArrayBuffer>,
  options: SendOptions = {},
): Promise<ImportResult> {
  const { status, body } = await sent(scene, who, calendarId, file, options);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.result as ImportResult;
}

export async function fetched(
  { house }: CalendarScene,
  { token }: Who,
  path: string,
  headers: Record<string, string> = {},
) {
  const request = new Request(`http://house.test${path}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  return await house.fetch(request);
}

export async function exported(scene: CalendarScene, who: Who, calendarId: string): Promise<string> {
  const reply = await fetched(scene, who, `${root(calendarId)}/ics`);
  if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`);
  return await reply.text();
}

export const json = async (scene: CalendarScene, who: Who, calendarId: string, format: string) =>
  (await (await fetched(scene, who, `${root(calendarId)}/json?format=${format}`)).json()) as Record<string, unknown>;

export const calendarOf = (...parts: readonly string[]) =>
  crlf(['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', ...parts, 'END:VCALENDAR'].join('\n'));
export const eventOf = (uid: string, ...lines: readonly string[]) =>
  ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20260101T000000Z', 'DTSTART:20260301T100000Z', ...lines, 'END:VEVENT'].join(
    '\n',
  );

export const many = (count: number, ...lines: readonly string[]) =>
  calendarOf(...Array.from({ length: count }, (_, at) => eventOf(`many-${at}`, `SUMMARY:Event ${at}`, ...lines)));

/** What objects are, without the description of their zones, by UID. */
export function contentOf(file: string): Map<string | undefined, unknown> {
  return new Map(
    readAll(file).map(({ uid, object }) => [uid, object?.jcal[2].filter(([name]) => name !== 'vtimezone')]),
  );
}

/** How many objects a calendar has. */
export async function countIn({ house }: CalendarScene, calendarId: string): Promise<number> {
  const { all } = await house.ctx.db
    .selectFrom('calendar_objects')
    .select(({ fn }) => fn.countAll<number>().as('all'))
    .where('calendar_id', '=', calendarId)
    .executeTakeFirstOrThrow();
  return all;
}

/** Has something happen before the first transaction that finds more objects than these in a calendar. @returns whether it has happened */
export function onceThereAre(
  scene: CalendarScene,
  calendarId: string,
  more: number,
  change: () => unknown,
): () => boolean {
  let happened = false;
  const wait = (): void =>
    void scene.house.meanwhile(async () => {
      if ((await countIn(scene, calendarId)) <= more) return wait();
      happened = true;
      await change();
    });
  wait();
  return () => happened;
}

/** What counts to the storage of a member. */
export async function storageOf({ house }: CalendarScene, { memberId }: HouseMember): Promise<number> {
  const row = await house.ctx.db
    .selectFrom('member_storage')
    .select('bytes')
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return row?.bytes ?? 0;
}
