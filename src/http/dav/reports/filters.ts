import { davRefusal } from '../../../service/dav-matching.ts';
import type {
  CalendarFilter,
  CardFilter,
  DavRange,
  ParamFilter,
  PropFilter,
  TextMatch,
} from '../../../service/ports/dav-filters.ts';
import { childOf, childrenOf, type XmlElement } from '../xml/read.ts';

/** Reads filters of queries. The XML has bounded its elements and their depth. */

type Prefix = 'c' | 'card';

/** Conditions of one filter: each is compared with each property of each object. Programs have up to ten. */
const MOST = 50;
const conditions = /:(?:comp-filter|prop-filter|param-filter|text-match|time-range)$/;

/** @throws Problem forbidden FORBIDDEN with `supported-filter` */
function assertFew(prefix: Prefix, filter: XmlElement | undefined): void {
  const count = ({ name, children }: XmlElement): number =>
    children.reduce((sum, child) => sum + count(child), conditions.test(name) ? 1 : 0);
  if (filter === undefined || count(filter) <= MOST) return;
  throw davRefusal('forbidden', 'FORBIDDEN', `${prefix}:supported-filter`, `Use at most ${MOST} conditions at once.`);
}

/** @throws Problem forbidden FORBIDDEN with `c:valid-filter` */
export function calendarFilterOf(query: XmlElement): CalendarFilter {
  const all = childOf(query, 'c:filter');
  assertFew('c', all);
  const outermost = childOf(all, 'c:comp-filter');
  if (outermost === undefined) throw invalid('c', 'A filter must have a comp-filter.');
  const filter = componentFilter(outermost);
  if (filter.name !== 'VCALENDAR') throw invalid('c', 'The outermost comp-filter must be of VCALENDAR.');
  return filter;
}

function componentFilter(element: XmlElement): CalendarFilter {
  const range = childOf(element, 'c:time-range');
  return {
    name: nameIn('c', element),
    absent: childOf(element, 'c:is-not-defined') !== undefined,
    ...(range !== undefined && { range: rangeOf(range) }),
    props: childrenOf(element, 'c:prop-filter').map((one) => propFilter('c', one)),
    components: childrenOf(element, 'c:comp-filter').map(componentFilter),
  };
}

/** Without a filter, all contacts. @throws Problem forbidden FORBIDDEN with `card:valid-filter` */
export function cardFilterOf(query: XmlElement): CardFilter {
  const filter = childOf(query, 'card:filter');
  assertFew('card', filter);
  return {
    test: testOf(filter),
    props: childrenOf(filter, 'card:prop-filter').map((one) => propFilter('card', one)),
  };
}

function propFilter(prefix: Prefix, element: XmlElement): PropFilter {
  const range = prefix === 'c' ? childOf(element, 'c:time-range') : undefined;
  return {
    name: nameIn(prefix, element),
    absent: childOf(element, `${prefix}:is-not-defined`) !== undefined,
    ...(range !== undefined && { range: rangeOf(range) }),
    test: prefix === 'c' ? 'all' : testOf(element),
    texts: childrenOf(element, `${prefix}:text-match`).map((one) => textMatch(prefix, one)),
    params: childrenOf(element, `${prefix}:param-filter`).map((one) => paramFilter(prefix, one)),
  };
}

function paramFilter(prefix: Prefix, element: XmlElement): ParamFilter {
  const text = childOf(element, `${prefix}:text-match`);
  return {
    name: nameIn(prefix, element),
    absent: childOf(element, `${prefix}:is-not-defined`) !== undefined,
    ...(text !== undefined && { text: textMatch(prefix, text) }),
  };
}

const collations: Readonly<Record<string, TextMatch['collation']>> = {
  default: 'unicode',
  'i;ascii-casemap': 'ascii',
  'i;octet': 'octet',
  'i;unicode-casemap': 'unicode',
};
const ways: ReadonlySet<string> = new Set(['equals', 'contains', 'starts-with', 'ends-with']);

function textMatch(prefix: Prefix, { attributes, text }: XmlElement): TextMatch {
  const named = attributes['collation'] ?? (prefix === 'c' ? 'i;ascii-casemap' : 'i;unicode-casemap');
  const collation = Object.hasOwn(collations, named) ? collations[named] : undefined;
  if (collation === undefined) {
    const message = 'Use the collation i;ascii-casemap, i;octet or i;unicode-casemap.';
    throw davRefusal('forbidden', 'FORBIDDEN', `${prefix}:supported-collation`, message);
  }
  const how = attributes['match-type'] ?? 'contains';
  if (!ways.has(how)) throw invalid(prefix, 'A match-type must be equals, contains, starts-with or ends-with.');
  return { value: text, collation, how: how as TextMatch['how'], negate: attributes['negate-condition'] === 'yes' };
}

function testOf(element: XmlElement | undefined): 'all' | 'any' {
  return element?.attributes['test'] === 'allof' ? 'all' : 'any';
}

function nameIn(prefix: Prefix, { attributes }: XmlElement): string {
  const name = attributes['name'] ?? '';
  if (!/^[\w-]{1,64}$/.test(name)) throw invalid(prefix, 'A filter must name what it is about.');
  return name.toUpperCase();
}

function rangeOf({ attributes }: XmlElement): DavRange {
  const [from, to] = [momentOf(attributes['start']), momentOf(attributes['end'])];
  if (from === undefined && to === undefined) throw invalid('c', 'A range must have a start or an end.');
  if (from !== undefined && to !== undefined && to <= from) throw invalid('c', 'A range must end after its start.');
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** A range with both ends. @throws Problem forbidden FORBIDDEN with `c:valid-filter` */
export function closedRange(element: XmlElement): Required<DavRange> {
  const { from, to } = rangeOf(element);
  if (from === undefined || to === undefined) throw invalid('c', 'This range must have a start and an end.');
  return { from, to };
}

function momentOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  // Some send a day.
  const form = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})Z?)?$/.exec(text.trim());
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00'] = form ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second === '60' ? '59' : second}Z`);
  if (form === null || Number.isNaN(at)) throw invalid('c', 'A time must be UTC, such as 20260329T120000Z.');
  return at;
}

function invalid(prefix: Prefix, message: string) {
  return davRefusal('forbidden', 'FORBIDDEN', `${prefix}:valid-filter`, message);
}
