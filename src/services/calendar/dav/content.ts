import { createHash } from 'node:crypto';
import type { Context } from '../../../service/context.ts';
import type { DavContent, DavDamaged } from '../../../service/ports/dav.ts';
import type { CalendarForm } from '../../../service/ports/dav-filters.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import { writtenList } from '../../../platform/store/written-query.ts';
import { redacted } from '../events/redact.ts';
import { paramOf, propertyOf, type JcalComponent, type JcalProperty } from '../icalendar/jcal.ts';
import { openContent, openOctets } from '../objects/content.ts';
import { openContentKey } from '../own-calendars.ts';
import { createTurns } from '../turns.ts';
import { seesAll } from '../events/seen-etag.ts';
import { unlessDamaged } from '../../../service/dav-damaged.ts';
import { isHidden, toResource, type Reader } from './heads.ts';
import { writeObject } from './large-objects.ts';

const byNames = writtenList<CalendarObjectRow>(
  1,
  (names) => `select * from calendar_objects where calendar_id = $1 and name in ${names}`,
);

/** Objects by their names, as the reader sees them. Those that are gone, or of which nothing is left, are missing. */
export async function readNamed(
  ctx: Context,
  reader: Reader,
  names: readonly string[],
  { form = {}, withObject = false }: Wanted = {},
): Promise<readonly (SeenObject | DavDamaged)[]> {
  if (names.length === 0) return [];
  const { rows } = await ctx.db.executeQuery(byNames([...new Set(names)], reader.calendar.id));
  return await readRows(ctx, reader, rows, { form, withObject });
}

interface Wanted {
  readonly form?: CalendarForm;
  readonly withObject?: boolean;
}

/** An object as somebody sees it. */
interface SeenObject extends DavContent {
  /** before it took another form, if that was wanted */
  readonly object?: JcalComponent;
}

async function readRows(
  ctx: Context,
  reader: Reader,
  rows: readonly CalendarObjectRow[],
  wanted: Required<Wanted>,
): Promise<(SeenObject | DavDamaged)[]> {
  const key = openContentKey(ctx, reader.calendar);
  const turns = createTurns();
  try {
    const found: (SeenObject | DavDamaged)[] = [];
    for (const row of rows) {
      const read = async () => await seenObject(ctx, reader, key, row, wanted);
      const seen = await unlessDamaged(ctx, row.id, toResource(reader, row), read);
      if (seen !== undefined) found.push(seen);
      await turns.take();
    }
    return found;
  } finally {
    key.fill(0);
  }
}

async function seenObject(
  ctx: Context,
  reader: Reader,
  key: Uint8Array,
  row: CalendarObjectRow,
  { form, withObject }: Required<Wanted>,
): Promise<SeenObject | undefined> {
  if (isHidden(reader, row)) return undefined;
  const resource = toResource(reader, row);
  const isPlain = Object.keys(form).length === 0;
  if (isPlain && row.octets !== null && seesAll(reader, row)) {
    const text = openOctets(key, row, row.octets);
    const object = withObject || text.includes('ORGANIZER') ? openContent(key, row) : undefined;
    return { ...resource, text, ...(object !== undefined && { object, ...tagOf(object) }) };
  }
  const object = redacted(reader, row, openContent(key, row));
  if (object === undefined) return undefined;
  const text = await writeObject(ctx, object, { form, zone: reader.calendar.zone }, row.sealed.length);
  return { ...resource, text, object, ...tagOf(object) };
}

function tagOf(object: JcalComponent): { readonly scheduleTag?: string } {
  const tag = scheduleTagOf(object);
  return tag === undefined ? {} : { scheduleTag: tag };
}

/** What of an event changes when somebody answers, or when it is written anew. */
const unimportant: ReadonlySet<string> = new Set(['dtstamp', 'last-modified', 'created', 'request-status']);

/**
 * Names what an event says to those who are invited (RFC 6638 3.2.10): their answers are no part of it.
 * @returns undefined for what nobody is invited to
 */
export function scheduleTagOf([, , components]: JcalComponent): string | undefined {
  const own = components.filter(([name]) => name !== 'vtimezone');
  if (!own.some((component) => propertyOf(component, 'organizer') !== undefined)) return undefined;
  const said = own.map(([name, properties]) => [
    name,
    properties.filter(([one]) => !unimportant.has(one)).map(withoutAnswer),
  ]);
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 32);
}

function withoutAnswer(property: JcalProperty): unknown {
  const [name, , ...rest] = property;
  return name === 'attendee' ? [name, paramOf(property, 'role') ?? '', ...rest] : property;
}
