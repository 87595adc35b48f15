import { fieldProblem, Problem } from '../../../base/problem.ts';
import { calendarLimits, duplicateModes, type DuplicateMode } from '../../../contract/calendar/limits.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import { readCalendarFile, readInSteps, type CalendarFile } from '../icalendar/read/read.ts';
import type { Zones } from '../icalendar/zones/zone-times.ts';
import { createTurns } from '../turns.ts';
import { joined } from './join-pieces.ts';
import { textsOfJson } from './json-texts.ts';

/** A file of iCalendar as it came. */
export interface GivenFile {
  readonly bytes: Uint8Array;
  readonly duplicateMode?: DuplicateMode | undefined;
}

/** @throws Problem invalid VALIDATION_ERROR, tooLarge PAYLOAD_TOO_LARGE */
export async function givenFile({ type, body }: Upload): Promise<GivenFile> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (type === 'application/json' && size > calendarLimits.importText) throw tooLong();
    pieces.push(Uint8Array.from(piece));
  }
  const bytes = await joined(pieces);
  return type === 'application/json' ? await givenInJson(bytes) : { bytes };
}

function tooLong(): Problem {
  const message = 'JSON may have at most 10 MiB. Send a larger file as it is, with Content-Type text/calendar.';
  return new Problem('tooLarge', 'PAYLOAD_TOO_LARGE', message);
}

/** @throws Problem invalid VALIDATION_ERROR */
async function givenInJson(bytes: Buffer): Promise<GivenFile> {
  const texts = await textsOfJson(bytes);
  const icsData = texts?.get('icsData');
  const mode = texts?.get('duplicateMode')?.toString('utf8');
  const duplicateMode = duplicateModes.find((one) => one === mode);
  if (icsData === undefined || duplicateMode !== mode)
    throw fieldProblem('icsData', 'is required as text; duplicateMode may be skip, overwrite or create-new');
  return { bytes: icsData, duplicateMode };
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
