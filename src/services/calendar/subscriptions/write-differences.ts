import { transaction, type Context } from '../../../service/context.ts';
import { isOfNode } from '../../../service/sweep.ts';
import { Problem } from '../../../base/problem.ts';
import { lockMembers } from '../../../platform/store/member-storage.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { writtenList, writtenQuery } from '../../../platform/store/written-query.ts';
import type { CalendarFile } from '../icalendar/read/read.ts';
import type { JcalComponent } from '../icalendar/jcal.ts';
import { openFingerprints, openText, uidKeyOf } from '../objects/content.ts';
import {
  insertPrepared,
  prepareObject,
  replaceObject,
  type PreparedObject,
  type WritableCalendar,
} from '../objects/write.ts';
import { openContentKey } from '../own-calendars.ts';
import { createTurns, type Turns } from '../turns.ts';
import { asFollowed } from './as-followed.ts';
import { requireFollowed, type Followed } from './followed.ts';
import { removeOthers } from './remove-others.ts';

/** Events of one transaction. Other writers wait for it. */
const TOGETHER = 25;
/** Characters of them, about. */
const SIZE = 512 * 1024;

export interface Written {
  /** events that were added, changed or removed */
  readonly changes: number;
  /** events that could not be read */
  readonly leftOut: number;
}

interface Wanted {
  readonly uidKey: string;
  readonly object: JcalComponent;
  readonly text: string;
}

/**
 * Makes the events of a calendar those of a file, some in each transaction. What is wrong with one fails that one alone; what the calendar has of it
 * stays.
 *
 * @throws NotFollowed; Problem tooLarge STORAGE_QUOTA_EXCEEDED, conflict EVENTS_FULL
 */
export async function writeDifferences(ctx: Context, followed: Followed, file: CalendarFile): Promise<Written> {
  const turns = createTurns();
  const seen = new Set<string>();
  let changes = 0;
  let leftOut = 0;
  let together: Wanted[] = [];
  let size = 0;
  const write = async (): Promise<void> => {
    const done = await writeSome(ctx, followed, together, turns);
    changes += done.changes;
    leftOut += done.leftOut;
    together = [];
    size = 0;
  };
  for (const { uid, object } of file.objects()) {
    await turns.take();
    followed.signal.throwIfAborted();
    if (object === undefined) {
      leftOut += 1;
      if (uid !== undefined) seen.add(uidKeyOf(ctx, uid));
    } else if (object.component === 'VEVENT') {
      const uidKey = uidKeyOf(ctx, object.uid);
      const followedObject = asFollowed(object.jcal);
      const text = JSON.stringify(followedObject);
      seen.add(uidKey);
      together.push({ uidKey, object: followedObject, text });
      size += text.length;
      if (together.length === TOGETHER || size > SIZE) await write();
    }
  }
  if (together.length > 0) await write();
  changes += await removeOthers(ctx, followed, seen, turns);
  return { changes, leftOut };
}

type Stored = Pick<CalendarObjectRow, 'id' | 'uid_key' | 'etag'>;

const byUid = writtenList<Stored>(
  1,
  (keys) => `select id, uid_key, etag from calendar_objects where calendar_id = $1 and uid_key in ${keys}`,
);

async function storedOf(
  { db }: Pick<Context, 'db'>,
  { calendarId }: Followed,
  wanted: readonly Wanted[],
): Promise<Map<string, Stored>> {
  const keys = wanted.map(({ uidKey }) => uidKey);
  const { rows } = await db.executeQuery(byUid(keys, calendarId));
  return new Map(rows.map((row) => [row.uid_key, row]));
}

interface Planned {
  readonly added: PreparedObject[];
  readonly changed: { readonly id: string; readonly object: JcalComponent; readonly etag: string }[];
  leftOut: number;
}

async function writeSome(ctx: Context, followed: Followed, wanted: readonly Wanted[], turns: Turns): Promise<Written> {
  for (;;) {
    const calendar = await requireFollowed(ctx, followed);
    const key = openContentKey(ctx, calendar);
    try {
      const stored = await storedOf(ctx, followed, wanted);
      const planned = await plan(ctx, { ...calendar, key }, wanted, stored, turns);
      if (planned.added.length + planned.changed.length === 0) return { changes: 0, leftOut: planned.leftOut };
      const written = await transaction(ctx, async (tx) => {
        await lockMembers(tx, [calendar.owner_id]);
        const now = await requireFollowed(tx, followed);
        // What was prepared holds for these events, and for days of this zone.
        if (now.zone !== calendar.zone || !areSame(stored, await storedOf(tx, followed, wanted))) return undefined;
        return await writePlanned(tx, { ...now, key }, planned);
      });
      if (written !== undefined) return written;
    } finally {
      key.fill(0);
    }
  }
}

function areSame(one: ReadonlyMap<string, Stored>, other: ReadonlyMap<string, Stored>): boolean {
  return one.size === other.size && [...one].every(([key, { etag }]) => other.get(key)?.etag === etag);
}

const byId = writtenQuery<CalendarObjectRow>('select * from calendar_objects where id = $1');

async function plan(
  ctx: Context,
  calendar: WritableCalendar,
  wanted: readonly Wanted[],
  stored: ReadonlyMap<string, Stored>,
  turns: Turns,
): Promise<Planned> {
  using fingerprints = openFingerprints(calendar.key);
  const planned: Planned = { added: [], changed: [], leftOut: 0 };
  for (const { uidKey, object, text } of wanted) {
    await turns.take();
    const there = stored.get(uidKey);
    const etag = fingerprints.of(uidKey, text);
    if (there === undefined) {
      const given = { object, etag, uidKey, createdBy: calendar.owner_id };
      const prepared = unlessBad(ctx, () => prepareObject(ctx, calendar, given));
      if (prepared === undefined) planned.leftOut += 1;
      else planned.added.push(prepared);
    } else if (there.etag !== etag && (await textOf(ctx, calendar, there.id)) !== text)
      planned.changed.push({ id: there.id, object, etag });
  }
  return planned;
}

/** Of an event whose entity tag says nothing, such as one from before the calendar followed an address. */
async function textOf({ db }: Pick<Context, 'db'>, { key }: WritableCalendar, id: string): Promise<string | undefined> {
  const [row] = (await db.executeQuery(byId(id))).rows;
  return row === undefined ? undefined : openText(key, row);
}

/** @returns undefined for an event that cannot be written */
function unlessBad<T>(ctx: Context, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isOfNode(error) || (error instanceof Problem && error.code !== 'VALIDATION_ERROR')) throw error;
    // One that nobody thought of is left out alone, too.
    if (!(error instanceof Problem)) ctx.log.error('an event of a calendar elsewhere could not be read', { error });
    return undefined;
  }
}

async function writePlanned(
  tx: Context,
  calendar: WritableCalendar,
  { added, changed, leftOut }: Planned,
): Promise<Written> {
  let bad = leftOut;
  for (const { id, object, etag } of changed) {
    const { rows } = await tx.db.executeQuery(byId(id));
    const [row] = rows;
    if (row === undefined) throw new Error('an event is gone that was just there');
    try {
      await replaceObject(tx, calendar, row, { object, etag });
    } catch (error) {
      // It is thrown before anything is written.
      if (!(error instanceof Problem) || error.code !== 'VALIDATION_ERROR') throw error;
      bad += 1;
    }
  }
  await insertPrepared(tx, calendar, added);
  return { changes: added.length + changed.length - (bad - leftOut), leftOut: bad };
}
