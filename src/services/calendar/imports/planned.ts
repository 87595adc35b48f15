import type { Problem } from '../../../base/problem.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import type { ReadResult } from '../icalendar/read/result.ts';
import type { PreparedObject } from '../objects/write.ts';

/** What becomes of an event of the file. */
export type Planned =
  | { readonly read: ReadResult; readonly as: 'skipped' }
  | {
      readonly read: ReadResult;
      readonly as: 'overwritten';
      readonly before: CalendarObjectRow;
      readonly prepared: PreparedObject;
    }
  | {
      readonly read: ReadResult;
      readonly as: 'imported';
      readonly prepared: PreparedObject;
      readonly isDuplicate: boolean;
    }
  | { readonly read: ReadResult; readonly as: 'failed'; readonly problem: Problem | undefined };
