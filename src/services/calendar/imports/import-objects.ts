import { randomUUID } from 'node:crypto';
import { transaction, type Context } from '../../../service/context.ts';
import type { DuplicateMode } from '../../../contract/calendar/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import { isOfNode } from '../../../service/sweep.ts';
import { requireCalendar, type OpenCalendar } from '../access.ts';
import { withProperties, type JcalComponent } from '../icalendar/jcal.ts';
import type { CalendarFile } from '../icalendar/read/read.ts';
import type { CalendarObject, ReadResult } from '../icalendar/read/result.ts';
import { uidKeyOf } from '../objects/content.ts';
import { prepareObject, type PreparedObject, type WritableCalendar } from '../objects/write.ts';
import { openContentKey } from '../own-calendars.ts';
import { createTurns, type Turns } from '../turns.ts';
import { Notes, type Progress } from './notes.ts';
import { objectsBy, writeAll, type Stored } from './write-all.ts';

/** Events of one transaction, and characters of them. Other writers wait for it. */
const TOGETHER = 50;
const BYTES = 2 * 1024 ** 2;

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

/** What becomes of an event of the file. */
export type Planned =
  | { readonly read: ReadResult; readonly as: 'skipped' }
  | { readonly read: ReadResult; readonly as: 'overwritten'; readonly object: CalendarObject; readonly there: Stored }
  | {
      readonly read: ReadResult;
      readonly as: 'imported';
      readonly prepared: PreparedObject;
      readonly isDuplicate: boolean;
    }
  | { readonly read: ReadResult; readonly as: 'failed'; readonly problem: Problem | undefined };

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
  const turns = createTurns();
  let progress = from;
  let together: ReadResult[] = [];
  let uids = new Set<string>();
  let bytes = 0;
  const write = async (): Promise<void> => {
    importing.signal?.throwIfAborted();
    if (together.length > 0) progress = await importSome(ctx, importing, together, progress, turns);
    together = [];
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
    await turns.take();
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

async function importSome(
  ctx: Context,
  importing: Importing,
  together: readonly ReadResult[],
  before: Progress,
  turns: Turns,
): Promise<Progress> {
  const { memberId, calendarId } = importing;
  for (;;) {
    const calendar = await requireCalendar(ctx, memberId, calendarId, 'editor');
    const key = openContentKey(ctx, calendar);
    try {
      const writable = { ...calendar, key };
      const keys = together.flatMap(({ object }) => (object === undefined ? [] : uidKeyOf(object.uid)));
      const there = await objectsBy(ctx, calendarId, keys);
      const planned: Planned[] = [];
      for (const read of together) {
        planned.push(planOf(ctx, writable, importing, read, there));
        await turns.take();
      }
      const after = await transaction(ctx, async (tx) => {
        await importing.assertAllowed(tx);
        // Whoever changes events that count to one member does so one after another.
        await lockMembers(tx, [calendar.owner_id]);
        const now = await requireCalendar(tx, memberId, calendarId, 'editor');
        // What was planned holds as long as nobody has changed these events, or where the days of the calendar are.
        if (!isSame(calendar, now) || !areSame(there, await objectsBy(tx, calendarId, keys))) return undefined;
        const notes = new Notes(before.result);
        await writeAll(tx, { ...now, key }, memberId, planned, notes);
        const progress = { done: before.done + together.length, result: notes.result };
        await importing.keep?.(tx, key, progress, before);
        return progress;
      });
      if (after !== undefined) return after;
    } finally {
      key.fill(0);
    }
  }
}

function isSame(one: OpenCalendar, other: OpenCalendar): boolean {
  return one.zone === other.zone && one.owner_id === other.owner_id;
}

function areSame(one: ReadonlyMap<string, Stored>, other: ReadonlyMap<string, Stored>): boolean {
  return one.size === other.size && [...one].every(([key, { etag }]) => other.get(key)?.etag === etag);
}

function planOf(
  ctx: Context,
  calendar: WritableCalendar,
  { memberId, mode }: Importing,
  read: ReadResult,
  stored: ReadonlyMap<string, Stored>,
): Planned {
  const { object } = read;
  if (object === undefined) return { read, as: 'failed', problem: undefined };
  const there = stored.get(uidKeyOf(object.uid));
  if (there !== undefined && mode === 'skip') return { read, as: 'skipped' };
  if (there !== undefined && mode === 'overwrite') return { read, as: 'overwritten', object, there };
  const isDuplicate = there !== undefined;
  const jcal = isDuplicate ? withNewUid(object.jcal) : object.jcal;
  try {
    const prepared = prepareObject(ctx, calendar, { object: jcal, createdBy: memberId });
    return { read, as: 'imported', prepared, isDuplicate };
  } catch (error) {
    return { read, as: 'failed', problem: problemOf(ctx, error) };
  }
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
