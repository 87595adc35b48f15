import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { davRefusal } from '../../../service/dav-matching.ts';
import type { DavChange, DavCollection } from '../../../service/ports/dav.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import type { DavCollectionRow } from '../../../platform/store/tables/dav.ts';
import { assertSegment, chosenOf, insertChosen, namedBy, putPosition } from '../../../shared/dav/collections.ts';
import { calendarsOf, requireCalendar, type OpenCalendar } from '../access.ts';
import { createCalendar, deleteCalendar, updateCalendar } from '../calendars.ts';
import { zoneOfName } from '../icalendar/zones/names.ts';
import { zonesOf } from '../objects/known-zones.ts';
import { defaultCalendar } from '../own-calendars.ts';

/** A calendar as programs see it. */
export interface DavCalendar extends DavCollection {
  readonly calendar: OpenCalendar;
  readonly components: readonly string[];
}

/** What calendars take that were not made for something else. */
const usual = ['VEVENT', 'VTODO', 'VJOURNAL'];
const KIND = 'calendar';
const DEFAULT_COLOR = '#1a73e8';

/** Own calendars, and those that are shared with more than free/busy. */
export async function collections(ctx: Context, { memberId }: Actor): Promise<readonly DavCalendar[]> {
  await defaultCalendar(ctx, memberId);
  const chosen = await chosenOf(ctx, memberId, KIND);
  const all = await calendarsOf(ctx, memberId);
  return all
    .filter(({ permission }) => permission !== 'freebusy')
    .map((calendar) => toCollection(calendar, chosen.get(calendar.id)));
}

/** Looked up in the home of the actor alone. */
export async function collection(ctx: Context, { memberId }: Actor, segment: string): Promise<DavCalendar | undefined> {
  const named = await namedBy(ctx, memberId, KIND, segment);
  if (named === undefined) return undefined;
  try {
    const calendar = await requireCalendar(ctx, memberId, named.id, 'viewer');
    return toCollection(calendar, named.chosen);
  } catch (error) {
    // Whoever sees only when time is taken has no such collection.
    if (error instanceof Problem && (error.kind === 'missing' || error.kind === 'forbidden')) return undefined;
    throw error;
  }
}

function toCollection(calendar: OpenCalendar, chosen: DavCollectionRow | undefined): DavCalendar {
  const { id, permission, change_seq: seq } = calendar;
  const components = chosen === undefined || chosen.components === '' ? usual : chosen.components.split(',');
  return {
    calendar,
    segment: chosen?.segment ?? id,
    ownerId: calendar.owner_id,
    access: permission === 'owner' ? 'owner' : permission === 'editor' ? 'write' : 'read',
    ...(calendar.subscribed === 1 && { followed: true }),
    ...(permission === 'owner' && calendar.is_default === 1 && { isDefault: true }),
    displayName: calendar.name,
    description: calendar.about,
    ctag: `${seq}-${permission}`,
    syncToken: tokenAt(calendar, seq),
    createdAt: calendar.created_at,
    color: calendar.color,
    ...(chosen?.position != null && { order: chosen.position }),
    timezone: calendar.zone,
    components,
  };
}

/** A token names a calendar, a change of it, and what its reader may do: with another permission all that it shows is another thing. */
export function tokenAt({ id, permission }: Pick<OpenCalendar, 'id' | 'permission'>, seq: number): string {
  return `urn:conclave:sync:${id}:${seq}:${permission}`;
}

/** @throws Problem forbidden FORBIDDEN with `d:valid-sync-token` */
export function changeOfToken(calendar: OpenCalendar, token: string): number {
  const [, id, text, permission] = /^urn:conclave:sync:([0-9a-f]{32}):(\d{1,15}):([a-z]+)$/.exec(token) ?? [];
  const seq = wholeNumber(text);
  const isGood =
    seq !== undefined &&
    id === calendar.id &&
    permission === calendar.permission &&
    seq <= calendar.change_seq &&
    seq >= calendar.forgotten_seq;
  if (isGood) return seq;
  const message = 'This sync-token is too old, or of another calendar. Synchronise from the beginning, without one.';
  throw davRefusal('forbidden', 'FORBIDDEN', 'd:valid-sync-token', message);
}

export async function create(ctx: Context, actor: Actor, segment: string, change: DavChange): Promise<void> {
  assertSegment(segment);
  const { displayName = segment, description = '', color = DEFAULT_COLOR, timezone, components = [], order } = change;
  assertNames({ displayName, description });
  const zone = timezone === undefined ? undefined : zoneIn(ctx, timezone);
  await transaction(ctx, async (tx) => {
    const given = { displayName, description, color, isDefault: false };
    const { calendar } = await createCalendar(tx, actor, { ...given, ...(zone !== undefined && { timezone: zone }) });
    const row = { collection_id: calendar.id, owner_id: actor.memberId, segment };
    await insertChosen(tx, KIND, { ...row, components: components.join(','), position: order ?? null });
  });
}

export async function update(
  ctx: Context,
  actor: Actor,
  { calendar }: DavCalendar,
  { displayName, description, color, timezone, order }: DavChange,
): Promise<void> {
  assertNames({ displayName, description });
  const zone = timezone === undefined ? undefined : zoneIn(ctx, timezone);
  await transaction(ctx, async (tx) => {
    await updateCalendar(tx, actor, {
      id: calendar.id,
      ...(displayName !== undefined && { displayName }),
      ...(description !== undefined && { description }),
      ...(color !== undefined && { color }),
      ...(zone !== undefined && { timezone: zone }),
    });
    if (order !== undefined) await putPosition(tx, KIND, { id: calendar.id, ownerId: actor.memberId }, order);
  });
}

export async function remove(ctx: Context, actor: Actor, { calendar }: DavCalendar): Promise<void> {
  await deleteCalendar(ctx, actor, { id: calendar.id, notify: 'true' });
}

interface Named {
  readonly displayName: string | undefined;
  readonly description: string | undefined;
}

function assertNames({ displayName, description }: Named): void {
  const { name, about } = calendarLimits;
  if (displayName !== undefined && (displayName.trim() === '' || displayName.length > name))
    throw fieldProblem('displayname', `must have 1 to ${name} characters`);
  if (description !== undefined && description.length > about)
    throw fieldProblem('calendar-description', `must have at most ${about} characters`);
}

/** The zone of a VTIMEZONE, or of a name. One that nobody knows changes nothing. */
function zoneIn(ctx: Context, timezone: string): string | undefined {
  const zones = zonesOf(ctx);
  const unfolded = timezone.replaceAll(/\r?\n[ \t]/g, '');
  const lines = ['X-LIC-LOCATION', 'TZID'].flatMap((name) => {
    const [, value] = new RegExp(`^${name}[^:\\r\\n]*:([^\\r\\n]*)`, 'm').exec(unfolded) ?? [];
    return value ?? [];
  });
  const names = timezone.includes('BEGIN:') ? lines : [timezone];
  return names.flatMap((name) => zoneOfName(name, zones) ?? [])[0];
}
