import type { Context } from '../../../service/context.ts';
import type { DavContent, DavDamaged, DavResource } from '../../../service/ports/dav.ts';
import type { CalendarFilter, CalendarForm, DavRange } from '../../../service/ports/dav-filters.ts';
import { zonesOf, zonesOfObject } from '../objects/known-zones.ts';
import { seriesOf } from '../objects/series.ts';
import { createTurns } from '../turns.ts';
import { readNamed } from './content.ts';
import { headsById, headsOf, isHidden, toResource, type ObjectHead, type Reader } from './heads.ts';
import { happensIn, objectsInRange } from './in-range.ts';
import { assertSupported, matchesObject } from './matching.ts';

/** Objects whose contents are in memory together. */
const TOGETHER = 20;
/** Ids of one statement. */
const IDS = 200;

/**
 * Objects that a filter finds, as the reader sees them: nobody finds an event by what they do not see of it.
 * @param form undefined: without their contents
 * @throws Problem forbidden FORBIDDEN with `c:supported-filter`
 */
export async function* query(
  ctx: Context,
  reader: Reader,
  filter: CalendarFilter,
  form: CalendarForm | undefined,
): AsyncGenerator<readonly (DavResource | DavContent | DavDamaged)[]> {
  assertSupported(filter);
  if (filter.absent) return;
  const plan = planOf(filter);
  for await (const heads of candidates(ctx, reader, plan)) {
    const shown = heads.filter((head) => !isHidden(reader, head) && isOfKind(head, plan));
    if (form === undefined && plan.rest === undefined) yield shown.map((head) => toResource(reader, head));
    else
      for (let at = 0; at < shown.length; at += TOGETHER)
        yield await matching(ctx, reader, plan, { heads: shown.slice(at, at + TOGETHER), form });
  }
}

interface Plan {
  /** a kind of components that each object has to have */
  readonly component: string | undefined;
  readonly range: CalendarFilter['range'];
  /** what is left to compare, with the contents; undefined: nothing */
  readonly rest: CalendarFilter | undefined;
}

/** Most filters are a kind and a range, which rows answer. */
function planOf(filter: CalendarFilter): Plan {
  const { props, components, range } = filter;
  const [only, ...more] = components;
  if (only === undefined && props.length === 0 && range === undefined)
    return { component: undefined, range: undefined, rest: undefined };
  const isOne = only !== undefined && more.length === 0 && !only.absent && range === undefined;
  if (!isOne) return { component: undefined, range: undefined, rest: filter };
  const isPlain = props.length + only.props.length + only.components.length === 0;
  if (only.range === undefined) return { component: only.name, range: undefined, rest: isPlain ? undefined : filter };
  if (only.name !== 'VEVENT') return { component: only.name, range: undefined, rest: filter };
  return { component: only.name, range: only.range, rest: isPlain ? undefined : filter };
}

function isOfKind({ component }: ObjectHead, plan: Plan): boolean {
  return plan.component === undefined || component === plan.component;
}

async function* candidates(ctx: Context, { calendar }: Reader, { range }: Plan): AsyncGenerator<readonly ObjectHead[]> {
  if (range === undefined) {
    yield* headsOf(ctx, calendar.id);
    return;
  }
  const ids = [...(await objectsInRange(ctx, calendar, range))];
  for (let at = 0; at < ids.length; at += IDS) yield await headsById(ctx, ids.slice(at, at + IDS));
}

async function matching(
  ctx: Context,
  reader: Reader,
  { rest, range }: Plan,
  { heads, form }: { readonly heads: readonly ObjectHead[]; readonly form: CalendarForm | undefined },
): Promise<(DavResource | DavContent | DavDamaged)[]> {
  const names = heads.map(({ name }) => name);
  const withObject = rest !== undefined;
  const seen = await readNamed(ctx, reader, names, { ...(form !== undefined && { form }), withObject });
  const found: (DavResource | DavContent | DavDamaged)[] = [];
  const turns = createTurns();
  for (const one of seen) {
    // Whether it is wanted nobody knows.
    if ('damaged' in one) {
      found.push(one);
      continue;
    }
    const { object, ...content } = one;
    if (rest !== undefined && object !== undefined) {
      const zones = zonesOfObject(zonesOf(ctx), reader.calendar.zone, object);
      // Rows have said it of the one range of most filters.
      const isInRange = (wanted: DavRange): boolean =>
        range !== undefined || happensIn(seriesOf(object, zones).series, zones, wanted);
      const isWanted = matchesObject(rest, object, zones, isInRange);
      await turns.take();
      if (!isWanted) continue;
    }
    found.push(content);
  }
  return found;
}
