import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import type { OpenCalendar } from '../access.ts';
import { propertyOf, type JcalComponent, type JcalParams, type JcalProperty } from '../icalendar/jcal.ts';
import { BUSY, insightOf, type Insight } from './dto.ts';

interface Reader {
  readonly memberId: string;
  readonly calendar: Pick<OpenCalendar, 'permission'>;
}

/** When something happens, and how often: what everybody sees who may read the calendar. */
const times = new Set([
  'uid',
  'dtstamp',
  'created',
  'last-modified',
  'dtstart',
  'dtend',
  'due',
  'duration',
  'rrule',
  'rdate',
  'exdate',
  'recurrence-id',
  'sequence',
  'status',
  'transp',
  'class',
]);
/** Others may have texts. */
const timeParams = new Set(['tzid', 'range']);

/**
 * An object as somebody sees it in a file, or in a program: private events are blocks of time that is taken, of confidential ones there are
 * title and time. `insightOf` decides.
 *
 * @returns undefined if nothing is left, as of a private task
 */
export function redacted(
  { memberId, calendar }: Reader,
  row: Pick<CalendarObjectRow, 'id' | 'created_by'>,
  object: JcalComponent,
): JcalComponent | undefined {
  const [kind, , components] = object;
  const own = components.filter(([name]) => name !== 'vtimezone');
  const seen = own.map((component) => ({ component, insight: insightOf(calendar, memberId, row, component) }));
  if (seen.every(({ insight }) => insight === 'all')) return object;
  // A UID may name somebody. Instances need that of their series.
  const uid = seen.every(({ insight }) => insight === 'busy') ? row.id : undefined;
  const left = seen.map(({ component, insight }) => leftOf(component, insight, uid)).filter((one) => one !== undefined);
  if (left.length === 0) return undefined;
  const zones = components.filter(([name]) => name === 'vtimezone');
  return [kind, [['version', {}, 'text', '2.0']], [...zones, ...left]];
}

function leftOf(component: JcalComponent, insight: Insight, uid: string | undefined): JcalComponent | undefined {
  if (insight === 'all') return component;
  const [name, properties] = component;
  // Only an event takes time.
  if (insight === 'busy' && name !== 'vevent') return undefined;
  const kept = properties.filter(([one]) => times.has(one)).map(bare);
  const title = insight === 'busy' ? undefined : propertyOf(component, 'summary');
  const shown: JcalProperty[] =
    insight === 'busy' ? [['summary', {}, 'text', BUSY]] : title === undefined ? [] : [title];
  const named = kept.map((one): JcalProperty =>
    one[0] === 'uid' && uid !== undefined ? ['uid', {}, 'text', uid] : one,
  );
  return [name, [...named, ...shown], []];
}

function bare([name, params, type, ...values]: JcalProperty): JcalProperty {
  const kept: JcalParams = Object.fromEntries(Object.entries(params).filter(([param]) => timeParams.has(param)));
  return [name, kept, type, ...values];
}
