import type { CalendarForm } from '../../../service/ports/dav-filters.ts';
import { task } from '../../../service/ports/task.ts';
import type { SearchSpace } from '../../../platform/store/search/document.ts';
import type { CalendarObjectRow } from '../../../platform/store/tables/calendars.ts';
import type { KnownOfObject } from '../objects/write.ts';

/** Where an object is to be, and how its times are read. */
export interface ObjectPlace {
  readonly place: Pick<CalendarObjectRow, 'id' | 'calendar_id' | 'created_at'> & { readonly ownerId: string };
  /** of the words of the calendar */
  readonly space: SearchSpace;
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
  readonly known: KnownOfObject;
}

export interface KnowJob extends ObjectPlace {
  readonly json: string;
}

export interface WriteJob {
  readonly json: string;
  readonly form: CalendarForm;
  readonly zone: string;
  /** of iTIP */
  readonly method?: string;
}

/** Reads a large object. The heaviest take some hundred milliseconds. What programs send comes from whoever may write, so it has a process of its own. */
export const readObjectTask = task<ReadJob, ReadObject>({
  name: 'read-calendar-object',
  memory: 256,
  atOnce: 1,
  queued: 64,
  apart: true,
});

/** Finds out when a large object happens, and by which words it is found. */
export const knowObjectTask = task<KnowJob, KnownOfObject>({
  name: 'know-calendar-object',
  memory: 256,
  atOnce: 1,
  queued: 64,
  apart: true,
});

/** Writes a large object, or all instances of a series, as text. */
export const writeObjectTask = task<WriteJob, string>({
  name: 'write-calendar-object',
  memory: 256,
  atOnce: 1,
  queued: 64,
  apart: true,
});
