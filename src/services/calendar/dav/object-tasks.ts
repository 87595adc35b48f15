import type { CalendarForm } from '../../../service/ports/dav-filters.ts';
import { task } from '../../../service/ports/task.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import type { WrittenInstances } from '../objects/instances.ts';

/** Where an object is to be, and how its times are read. */
export interface ObjectPlace {
  readonly place: Pick<CalendarObjectRow, 'id' | 'calendar_id'>;
  /** of the calendar */
  readonly zone: string;
  readonly now: number;
}

export interface ReadJob extends ObjectPlace {
  readonly bytes: Uint8Array;
}

/** An object as a program gave it. JSON passes between threads faster than what it means. */
export interface ReadObject {
  readonly json: string;
  readonly component: string;
  readonly instances: WrittenInstances;
}

export interface WriteJob {
  readonly json: string;
  readonly form: CalendarForm;
  readonly zone: string;
}

/** Reads a large object. The heaviest take some hundred milliseconds. */
export const readObjectTask = task<ReadJob, ReadObject>({
  name: 'read-calendar-object',
  memory: 256,
  atOnce: 1,
  queued: 64,
});

/** Writes a large object, or all instances of a series, as text. */
export const writeObjectTask = task<WriteJob, string>({
  name: 'write-calendar-object',
  memory: 256,
  atOnce: 1,
  queued: 64,
});
