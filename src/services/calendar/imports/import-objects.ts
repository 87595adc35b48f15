import { randomUUID } from 'node:crypto';
import { transaction, type Context } from '../../../service/context.ts';
import type { DuplicateMode } from '../../../contract/calendar/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { isOfNode } from '../../../service/sweep.ts';
import { requireCalendar, type OpenCalendar } from '../access.ts';
import { insightOf } from '../events/dto.ts';
import { calendarSpace } from '../indexing.ts';
import { withProperties, type JcalComponent } from '../icalendar/jcal.ts';
import type { CalendarFile } from '../icalendar/read/read.ts';
import type { ReadResult } from '../icalendar/read/result.ts';
import { openContent, uidKeyOf } from '../objects/content.ts';
import { prepareObject, prepareReplacement, type WritableCalendar } from '../objects/write.ts';
import { openContentKey } from '../own-calendars.ts';
import { createTurns, type Turns } from '../turns.ts';
import { Notes, type Progress } from './notes.ts';
import type { Planned } from './planned.ts';
import { objectsBy, writeAll, type Stored } from './write-all.ts';

/** Events of one transaction, characters of them, and their instances. Other writers wait for it. */
const TOGETHER = 50;
const BYTES = 2 * 1024 ** 2;
const INSTANCES = 1_000;

export interface Importing {
  readonly memberId: string;
  readonly calendarId: string;
  readonly mode: DuplicateMode;
  readonly signal?: AbortSignal;
  /** @throws Problem if the import must not go on */
  assertAllowed(tx: Context): Promise<void>;
  /** notes in the transaction of some events that these are done with */
  keep?(tx: Context, key: Uint8Array, progress: Progress, before: Progress): Promise<void>;
}

/**
 * Reads the events of a file into a calendar, a few in each transaction. What is wrong with one fails that one alone.
 * @param from what was done before
 * @throws Problem missing NOT_FOUND, forbidden FORBIDDEN, and those of `assertAllowed`
 */
export async function importObjects(
  ctx: Context,
  importing: Importing,
  file: CalendarFile,
  from: Progress,
): Promise<Progress> {
  const work = { turns: createTurns(), known: new Map<string, string>() };
  let progress = from;
  let together: ReadResult[] = [];
  let uids = new Set<string>();
  let bytes = 0;
  const write = async (): Promise<void> => {
    importing.signal?.throwIfAborted();
    while (together.length > 0) {
      const { done } = progress;
      progress = await importSome(ctx, importing, together, progress, work);
      together = together.slice(progress.done - done);
    }
    uids = new Set();
    bytes = 0;
  };
  for (const read of file.objects(from.done)) {
    const { uid = '' } = read;
    // A task may have the UID of an event.
    if (uids.has(uid)) await write();
    together.push(read);
    if (uid !== '') uids.add(uid);
    bytes += sizeOf(read.object?.jcal);
    if (together.length === TOGETHER || bytes > BYTES) await write();
    await work.turns.take();
  }
  await write();
  return progress;
}

/** About. What is long are texts. */
function sizeOf(component: JcalComponent | undefined): number {
  if (component === undefined) return 0;
  const [, properties, components] = component;
  const own = properties.reduce((sum, [, , , value]) => sum + 50 + (typeof value === 'string' ? value.length : 0), 0);
  return components.reduce((sum, inner) => sum + sizeOf(inner), own);
}

/** What all of an import has in common. */
interface Work {
  readonly turns: Turns;
  /** words of its events, as the index has them */
  readonly known: Map<string, string>;
}

/** Writes the first ones, as many as one transaction may write. */
async function importSome(
  ctx: Context,
  importing: Importing,
  together: readonly ReadResult[],
  before: Progress,
  { turns, known }: Work,
): Promise<Progress> {
  const { memberId, calendarId } = importing;
  for (;;) {
    importing.signal?.throwIfAborted();
    const calendar = await requireCalendar(ctx, memberId, calendarId, 'editor');
    const key = openContentKey(ctx, calendar);
    const space = { ...calendarSpace({ id: calendarId, key }), known };
    try {
      const writable = { ...calendar, key, space };
      const keyOf = keysOf(ctx, together);
      const keys = [...keyOf.values()];
      const there = await objectsBy(ctx, calendarId, keys);
      const planned: Planned[] = [];
      let instances = 0;
      for (const read of together) {
        const one = await planOf(ctx, writable, importing, { read, uidKey: keyOf.get(read) ?? '' }, there);
        planned.push(one);
        if ('prepared' in one) instances += one.prepared.instances.length;
        if (instances >= INSTANCES) break;
        await turns.take();
      }
      const after = await transaction(ctx, async (tx) => {
        await importing.assertAllowed(tx);
        // Whoever changes events that count to one member does so one after another.
        await lockMembers(tx, [calendar.owner_id]);
        const now = await requireCalendar(tx, memberId, calendarId, 'editor');
        // What was planned holds as long as nobody has changed these events, where the days of the calendar are, or what the member may do.
        if (!isSame(calendar, now) || !areSame(there, await objectsBy(tx, calendarId, keys))) return undefined;
        const notes = new Notes(before.result);
        await writeAll(tx, now, planned, notes);
        const progress = { done: before.done + planned.length, result: notes.result };
        await importing.keep?.(tx, key, progress, before);
        return progress;
      });
      if (after !== undefined) return after;
    } finally {
      key.fill(0);
      space.key?.fill(0);
    }
  }
}

function keysOf(ctx: Context, together: readonly ReadResult[]): Map<ReadResult, string> {
  return new Map(
    together.flatMap((read) => (read.object === undefined ? [] : [[read, uidKeyOf(ctx, read.object.uid)] as const])),
  );
}

function isSame(one: OpenCalendar, other: OpenCalendar): boolean {
  return one.zone === other.zone && one.owner_id === other.owner_id && one.permission === other.permission;
}

function areSame(one: ReadonlyMap<string, Stored>, other: ReadonlyMap<string, Stored>): boolean {
  return one.size === other.size && [...one].every(([key, { etag }]) => other.get(key)?.etag === etag);
}

/** All that takes long, and all that may be wrong with one event, so that the transaction has only to write. */
async function planOf(
  ctx: Context,
  calendar: OpenCalendar & WritableCalendar,
  { memberId, mode }: Importing,
  { read, uidKey }: { readonly read: ReadResult; readonly uidKey: string },
  stored: ReadonlyMap<string, Stored>,
): Promise<Planned> {
  const { object } = read;
  if (object === undefined) return { read, as: 'failed', problem: undefined };
  const there = stored.get(uidKey);
  try {
    if (there === undefined || mode === 'create-new') {
      const isDuplicate = there !== undefined;
      const jcal = isDuplicate ? withNewUid(object.jcal) : object.jcal;
      const known = isDuplicate ? {} : { uidKey };
      const prepared = prepareObject(ctx, calendar, { object: jcal, createdBy: memberId, ...known });
      return { read, as: 'imported', prepared, isDuplicate };
    }
    if (there.component !== object.component) {
      const what = there.component.toLowerCase();
      throw new Problem('conflict', 'CONFLICT', `The calendar has another component (${what}) with this UID.`);
    }
    if (mode === 'skip') return { read, as: 'skipped' };
    const before = await changeableRow(ctx, calendar, memberId, there.id);
    // Whoever removed it makes that all of this is planned anew.
    if (before === undefined) return { read, as: 'skipped' };
    return {
      read,
      as: 'overwritten',
      before,
      prepared: prepareReplacement(ctx, calendar, before, { object: object.jcal }),
    };
  } catch (error) {
    return { read, as: 'failed', problem: problemOf(ctx, error) };
  }
}

const byId = writtenQuery<CalendarObjectRow>('select * from calendar_objects where id = $1');

/** @throws Problem forbidden FORBIDDEN for an event of which the member does not see all */
async function changeableRow(
  { db }: Context,
  calendar: OpenCalendar & WritableCalendar,
  memberId: string,
  id: string,
): Promise<CalendarObjectRow | undefined> {
  const { rows } = await db.executeQuery(byId(id));
  const [row] = rows;
  if (row === undefined) return undefined;
  const [, , components] = openContent(calendar.key, row);
  const own = components.filter(([name]) => name !== 'vtimezone');
  if (own.some((one) => insightOf(calendar, memberId, row, one) !== 'all'))
    throw new Problem('forbidden', 'FORBIDDEN', 'This event is private. Only the owner of the calendar can change it.');
  return row;
}

/** An event that nobody thought of fails alone, too. @throws what the node can do nothing about */
function problemOf(ctx: Context, error: unknown): Problem {
  if (isOfNode(error)) throw error;
  if (error instanceof Problem) return error;
  ctx.log.error('an event could not be imported', { error });
  return new Problem('invalid', 'VALIDATION_ERROR', 'It cannot be read.');
}

function withNewUid([kind, properties, components]: JcalComponent): JcalComponent {
  const uid = randomUUID();
  const named = components.map((one) =>
    one[0] === 'vtimezone' ? one : withProperties(one, ['uid'], [['uid', {}, 'text', uid]]),
  );
  return [kind, properties, named];
}
