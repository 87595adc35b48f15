import type { Context } from '../../../service/context.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { Problem } from '../../../base/problem.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { writtenList } from '../../../platform/store/written-query.ts';
import { assertStorageLeft } from '../../../shared/members/storage.ts';
import type { OpenCalendar } from '../access.ts';
import { insertPrepared, replacePrepared, type PreparedObject } from '../objects/write.ts';
import type { Planned } from './planned.ts';
import type { Notes } from './notes.ts';

export type Stored = Pick<CalendarObjectRow, 'id' | 'uid_key' | 'etag' | 'component'>;

const byUid = writtenList<Stored>(
  1,
  (keys) => `
  select id, uid_key, etag, component from calendar_objects where calendar_id = $1 and uid_key in ${keys}`,
);

/** What a calendar has of these UIDs, by their keys. */
export async function objectsBy(
  { db }: Pick<Context, 'db'>,
  calendarId: string,
  keys: readonly string[],
): Promise<Map<string, Stored>> {
  if (keys.length === 0) return new Map();
  const { rows } = await db.executeQuery(byUid(keys, calendarId));
  return new Map(rows.map((row) => [row.uid_key, row]));
}

/** Writes what was planned, and notes what came of it. Nothing that is wrong with one event makes a statement fail. */
export async function writeAll(
  tx: Context,
  calendar: OpenCalendar,
  planned: readonly Planned[],
  notes: Notes,
): Promise<void> {
  const added: PreparedObject[] = [];
  const failed = new Map<Planned, Problem>();
  for (const one of planned)
    if (one.as === 'overwritten') {
      const problem = await flawOf(async () => await replacePrepared(tx, calendar, one.before, one.prepared));
      if (problem !== undefined) failed.set(one, problem);
    }
  const whole = planned.reduce((sum, one) => sum + (one.as === 'imported' ? one.prepared.row.bytes : 0), 0);
  const isTight = (await lackOfRoom(tx, calendar, whole)) !== undefined;
  let bytes = 0;
  for (const one of planned) {
    if (one.as !== 'imported') continue;
    const next = bytes + one.prepared.row.bytes;
    const lack = noPlace(calendar, added) ?? (isTight ? await lackOfRoom(tx, calendar, next) : undefined);
    if (lack !== undefined) failed.set(one, lack);
    else {
      bytes = next;
      added.push(one.prepared);
    }
  }
  await insertPrepared(tx, calendar, added);
  for (const one of planned) note(notes, one, failed.get(one));
}

function note(notes: Notes, one: Planned, problem: Problem | undefined): void {
  const { read, as } = one;
  notes.said(read);
  const flaw = as === 'failed' ? one.problem : problem;
  if (flaw !== undefined) notes.failed(read, flaw);
  else notes.count(as, read, as === 'imported' ? one.isDuplicate : as !== 'failed');
}

async function lackOfRoom(
  tx: Context,
  { owner_id: ownerId }: OpenCalendar,
  bytes: number,
): Promise<Problem | undefined> {
  return await flawOf(async () => await assertStorageLeft(tx, ownerId, bytes));
}

/** @returns why there was no room; all else ends the import */
async function flawOf(work: () => Promise<unknown>): Promise<Problem | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Problem && error.code === 'STORAGE_QUOTA_EXCEEDED') return error;
    throw error;
  }
}

/** Before anything is written, because a transaction that failed could not go on. */
function noPlace({ objects }: OpenCalendar, added: readonly PreparedObject[]): Problem | undefined {
  if (objects + added.length < calendarLimits.events) return undefined;
  const message = `The calendar has ${calendarLimits.events} events, the most there can be.`;
  return new Problem('conflict', 'EVENTS_FULL', message);
}
