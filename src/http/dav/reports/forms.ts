import type { CalendarForm, CardForm, ComponentParts, PropertyParts } from '../../../service/ports/dav-filters.ts';
import { childOf, childrenOf, type XmlElement } from '../xml/read.ts';
import { closedRange } from './filters.ts';

/** How a query or multiget wants calendar objects (RFC 4791 9.6). */
export function calendarFormOf(report: XmlElement): CalendarForm {
  const data = childOf(childOf(report, 'd:prop'), 'c:calendar-data');
  const [expand, limit] = [childOf(data, 'c:expand'), childOf(data, 'c:limit-recurrence-set')];
  const parts = childOf(data, 'c:comp');
  return {
    ...(parts !== undefined && { parts: partsOf(parts) }),
    ...(expand !== undefined && { expand: closedRange(expand) }),
    ...(limit !== undefined && { limit: closedRange(limit) }),
  };
}

/** A component of which nothing is said is given whole, as the example of RFC 4791 7.8.1 shows. */
function partsOf(comp: XmlElement): ComponentParts {
  const components = childrenOf(comp, 'c:comp').map(
    (inner) => [upper(inner.attributes['name']), partsOf(inner)] as const,
  );
  const isWhole = (all: string): boolean => comp.children.length === 0 || childOf(comp, all) !== undefined;
  return {
    props: isWhole('c:allprop') ? undefined : propertiesIn(comp, 'c:prop'),
    components: isWhole('c:allcomp') ? undefined : new Map(components),
  };
}

/** How a query or multiget wants contacts (RFC 6352 10.4). */
export function cardFormOf(report: XmlElement): CardForm {
  const data = childOf(childOf(report, 'd:prop'), 'card:address-data');
  const isWhole = childOf(data, 'card:prop') === undefined || childOf(data, 'card:allprop') !== undefined;
  return isWhole ? {} : { props: propertiesIn(data, 'card:prop') };
}

function propertiesIn(element: XmlElement | undefined, prop: 'c:prop' | 'card:prop'): PropertyParts {
  return new Map(
    childrenOf(element, prop).map(
      ({ attributes }) => [upper(attributes['name']), { noValue: attributes['novalue'] === 'yes' }] as const,
    ),
  );
}

function upper(name = ''): string {
  return name.toUpperCase();
}
