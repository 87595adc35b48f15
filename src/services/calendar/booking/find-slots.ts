import type { Context } from '../../../service/context.ts';
import type { AppointmentType } from '../../../contract/calendar/booking-fields.ts';
import type { Database } from '../../../platform/store/database.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { zonesOf } from '../objects/known-zones.ts';
import type { OpenCalendar } from '../access.ts';
import { conflictCalendars, occupiedIn } from './occupied.ts';
import type { OpenPage } from './page-rows.ts';
import { freeSlots, type FreeSlot, type Interval, type SlotRules } from './slots.ts';

/** So long an answer serves others who ask the same, if nothing has changed: the notice of a page moves with the time. */
const FRESH_MS = 5_000;
const KEPT = 64;
/** Longer answers are made anew: what is kept is bounded. */
const MOST = 2_000;

interface Kept {
  readonly version: string;
  readonly at: number;
  readonly slots: readonly FreeSlot[];
}

/** What was computed of slots, for as long as the store is open. */
const known = new WeakMap<Database, Map<string, Kept>>();

/**
 * The times at which guests can book. What is kept of earlier answers counts only while the page and all calendars are as they were, whichever
 * process has changed them: each booking writes an event, which counts its calendar up.
 */
export async function bookableSlots(
  ctx: Context,
  page: OpenPage,
  type: AppointmentType,
  range: Interval,
): Promise<readonly FreeSlot[]> {
  const calendars = await conflictCalendars(ctx, page);
  const now = ctx.clock.now();
  const key = `${page.row.id} ${type.id} ${range.from} ${range.to}`;
  const version = await versionOf(ctx, page, calendars);
  const kept = known.get(ctx.store) ?? new Map<string, Kept>();
  known.set(ctx.store, kept);
  const before = kept.get(key);
  if (before?.version === version && now >= before.at && now - before.at < FRESH_MS) return before.slots;
  const slots = await computedSlots(ctx, page, type, range, calendars);
  kept.delete(key);
  if (slots.length > MOST) return slots;
  kept.set(key, { version, at: now, slots });
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return slots;
}

/** The same, computed now. @param without an appointment that is about to move */
export async function computedSlots(
  ctx: Context,
  page: OpenPage,
  type: AppointmentType,
  range: Interval,
  calendars: readonly OpenCalendar[],
  without?: string,
): Promise<FreeSlot[]> {
  const occupied = await occupiedIn(ctx, page, calendars, range, without);
  return freeSlots(rulesOf(page, type), occupied, range, ctx.clock.now(), zonesOf(ctx));
}

function rulesOf({ settings }: OpenPage, type: AppointmentType): SlotRules {
  const { timezone: zone, minNoticeMinutes, maxAdvanceDays, maxPerDay } = settings;
  return { zone, type, minNoticeMinutes, maxAdvanceDays, maxPerDay };
}

async function versionOf(
  { db }: Pick<Context, 'db'>,
  { row }: OpenPage,
  calendars: readonly OpenCalendar[],
): Promise<string> {
  // Bookings of other pages may come into calendars that this one doesn't look at.
  const own = await db.executeQuery(changesOf(row.owner_id));
  const seen = [...own.rows, ...calendars].map(({ id, change_seq: seq, zone }) => `${id}:${seq}:${zone}`);
  return `${row.modified_at} ${seen.join()}`;
}

const changesOf = writtenQuery<Pick<OpenCalendar, 'id' | 'change_seq' | 'zone'>>(
  'select id, change_seq, zone from calendars where owner_id = $1 order by id',
);
