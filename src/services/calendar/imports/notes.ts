import type { Problem } from '../../../base/problem.ts';
import type { ImportResult } from '../../../contract/calendar/export.ts';
import { calendarLimits } from '../../../contract/calendar/limits.ts';
import type { ReadResult } from '../icalendar/read/result.ts';

/** How far an import is, and what came of it. */
export interface Progress {
  /** results of the file that are done with */
  readonly done: number;
  readonly result: ImportResult;
}

export const nothing: Progress = {
  done: 0,
  result: { imported: 0, skipped: 0, overwritten: 0, failed: 0, duplicates: [], errors: [], warnings: [] },
};

type Read = Pick<ReadResult, 'uid' | 'line'>;
type Count = 'imported' | 'skipped' | 'overwritten' | 'failed';

/** The same result with what a few more events came to. */
export class Notes {
  readonly result: ImportResult;

  constructor({ imported, skipped, overwritten, failed, duplicates, errors, warnings }: ImportResult) {
    const lists = { duplicates: [...duplicates], errors: [...errors], warnings: [...warnings] };
    this.result = { imported, skipped, overwritten, failed, ...lists };
  }

  count(what: Count, read: Read, isDuplicate = false): void {
    this.result[what] += 1;
    if (isDuplicate && read.uid !== undefined) addTo(this.result.duplicates, read.uid);
  }

  /** What was wrong with the file there. */
  said({ errors, warnings }: ReadResult): void {
    for (const error of errors) addTo(this.result.errors, error);
    for (const warning of warnings) addTo(this.result.warnings, warning);
  }

  failed(read: Read, problem: Problem): void {
    this.count('failed', read);
    const { uid, line } = read;
    const [field] = problem.fields;
    const message = field === undefined ? problem.message : `The event ${field.message}.`;
    addTo(this.result.errors, { ...(uid !== undefined && { uid }), line, code: problem.code, message });
  }
}

function addTo<T>(list: T[], one: T): void {
  if (list.length < calendarLimits.importErrors) list.push(one);
}
