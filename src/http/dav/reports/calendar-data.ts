import type { CalendarForm } from '../../../service/ports/dav-filters.ts';
import { childOf, type XmlElement } from '../xml/read.ts';
import { closedRange } from './filters.ts';

/** How a query or multiget wants calendar objects (RFC 4791 9.6). Parts of components are not left out: nobody is harmed by the whole. */
export function calendarFormOf(report: XmlElement): CalendarForm {
  const data = childOf(childOf(report, 'd:prop'), 'c:calendar-data');
  const [expand, limit] = [childOf(data, 'c:expand'), childOf(data, 'c:limit-recurrence-set')];
  return {
    ...(expand !== undefined && { expand: closedRange(expand) }),
    ...(limit !== undefined && { limit: closedRange(limit) }),
  };
}
