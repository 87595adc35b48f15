import * as v from 'valibot';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { calendarLimits, duplicateModes, type DuplicateMode } from '../../../contract/calendar/limits.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import { readCalendarFile, readInSteps, type CalendarFile } from '../icalendar/read/read.ts';
import type { Zones } from '../icalendar/zones/zone-times.ts';
import { createTurns } from '../turns.ts';

/** A file of iCalendar as it came. */
export interface GivenFile {
  readonly bytes: Uint8Array;
  readonly duplicateMode?: DuplicateMode | undefined;
}

const given = v.object({ icsData: v.string(), duplicateMode: v.optional(v.picklist(duplicateModes)) });

/** @throws Problem invalid VALIDATION_ERROR, tooLarge PAYLOAD_TOO_LARGE */
export async function givenFile({ type, body }: Upload): Promise<GivenFile> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (type === 'application/json' && size > calendarLimits.importText) throw tooLong();
    pieces.push(Uint8Array.from(piece));
  }
  const bytes = Buffer.concat(pieces, size);
  if (type !== 'application/json') return { bytes };
  const parsed = v.safeParse(given, jsonIn(bytes));
  if (!parsed.success)
    throw fieldProblem('icsData', 'is required as text; duplicateMode may be skip, overwrite or create-new');
  const { icsData, duplicateMode } = parsed.output;
  return { bytes: Buffer.from(icsData), duplicateMode };
}

function tooLong(): Problem {
  const message = 'JSON may have at most 10 MiB. Send a larger file as it is, with Content-Type text/calendar.';
  return new Problem('tooLarge', 'PAYLOAD_TOO_LARGE', message);
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Smaller files are read in some milliseconds. */
const AT_ONCE = 256 * 1024;

/** @throws Problem invalid VALIDATION_ERROR with `icsData`: it is no calendar, or has more components than may be */
export async function openFile(bytes: Uint8Array, zones: Zones): Promise<CalendarFile> {
  if (bytes.length <= AT_ONCE) return readCalendarFile(bytes, zones);
  const turns = createTurns();
  const steps = readInSteps(bytes, zones);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await turns.take();
  }
}
