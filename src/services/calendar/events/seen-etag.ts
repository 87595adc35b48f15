import { createHash } from 'node:crypto';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import type { OpenCalendar } from '../access.ts';

interface Reader {
  readonly memberId: string;
  readonly calendar: Pick<OpenCalendar, 'permission'>;
}

type Head = Pick<CalendarObjectRow, 'visibility' | 'created_by'>;

/** Whether the reader sees all of an object: insightOf() for its strictest component. */
export function seesAll({ memberId, calendar: { permission } }: Reader, { visibility, created_by: by }: Head): boolean {
  if (permission === 'owner' || visibility === 'PUBLIC' || by === memberId) return true;
  return visibility === 'CONFIDENTIAL' && permission === 'editor';
}

/**
 * The tag of what the reader sees, in the API as in DAV: whoever sees less of an object, or of another one more than before, has other
 * contents.
 */
export function etagFor(reader: Reader, head: Head & Pick<CalendarObjectRow, 'etag'>): string {
  if (seesAll(reader, head)) return head.etag;
  return createHash('sha256').update(`${head.etag} ${reader.calendar.permission}`).digest('hex').slice(0, 32);
}
