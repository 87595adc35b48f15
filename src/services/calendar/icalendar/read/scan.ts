import { fieldProblem } from '../../../../base/problem.ts';
import { calendarLimits } from '../../../../contract/calendar/limits.ts';
import { headOf, linesOf, unfolded, type Line } from '../text/lines.ts';
import { propertyFrom } from '../text/property.ts';
import { textOf } from '../jcal.ts';
import { readLimits } from './limits.ts';
import type { ReadProblemCode } from './problem.ts';

/**
 * The first of two passes over a file: where its components begin and end, and whose UID they have. It keeps some numbers of each, so that
 * the second pass can read one event after another, also if its parts stand far from each other.
 */
export interface Found {
  /** in upper case */
  readonly name: string;
  readonly calendar: FoundCalendar;
  readonly start: number;
  readonly line: number;
  end: number;
  uid?: string;
  tzid?: string;
  /** why it can't be read */
  bad?: { readonly code: ReadProblemCode; readonly message: string };
  /** whether its END is missing */
  open: boolean;
}

export interface FoundCalendar {
  readonly line: number;
  /** the lines of its own properties */
  readonly lines: Line[];
  readonly zones: Map<string, Found>;
}

export interface Scanned {
  readonly calendars: readonly FoundCalendar[];
  /** in the order of the file, without definitions of zones */
  readonly components: readonly Found[];
  /** the first definition of each zone */
  readonly zones: ReadonlyMap<string, Found>;
}

const [LETTER_B, LETTER_E, LETTER_T, LETTER_U] = [0x62, 0x65, 0x74, 0x75];

/** They stand in no other component, so where one begins, the one before has ended even if nothing says so. */
const outermost = new Set(['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY', 'VTIMEZONE']);

/** Lines and bytes between two rests. */
const LINES = 500;
const BYTES = 256 * 1024;

/**
 * It rests now and then, so that others have their turn.
 * @throws Problem invalid VALIDATION_ERROR with `icsData`: it is no calendar, or has too many components
 */
export function* scan(bytes: Uint8Array): Generator<undefined, Scanned> {
  const scanner = new Scanner(bytes);
  let count = 0;
  let rested = 0;
  for (const line of linesOf(bytes)) {
    scanner.take(line);
    count += 1;
    if (count < LINES && line.end - rested < BYTES) continue;
    yield;
    count = 0;
    rested = line.end;
  }
  return scanner.finish();
}

class Scanner {
  readonly #bytes: Uint8Array;
  readonly #calendars: FoundCalendar[] = [];
  readonly #components: Found[] = [];
  readonly #zones = new Map<string, Found>();
  #count = 0;
  #calendar: FoundCalendar | undefined;
  #current: Found | undefined;
  /** the names of the components that are open in the current one */
  #inner: string[] = [];
  #properties = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(line: Line): void {
    // Most lines say by their first letter that they are of no interest here.
    const first = (this.#bytes[line.start] ?? 0) | 0x20;
    const [, verb, name] =
      first === LETTER_B || first === LETTER_E
        ? (/^(BEGIN|END)\s*:\s*([\w.-]*)\s*$/i.exec(headOf(this.#bytes, line)) ?? [])
        : [];
    if (verb === undefined || name === undefined) this.#property(line, first);
    else if (verb.length === 5) this.#begin(name.toUpperCase(), line);
    else this.#end(name.toUpperCase(), line);
  }

  finish(): Scanned {
    this.#close(this.#bytes.length, true);
    if (this.#calendars.length === 0)
      throw fieldProblem('icsData', 'is no calendar: it has no line BEGIN:VCALENDAR', {
        sentence: 'The file is no iCalendar file: it has no line BEGIN:VCALENDAR.',
      });
    return { calendars: this.#calendars, components: this.#components, zones: this.#zones };
  }

  #begin(name: string, line: Line): void {
    if (name === 'VCALENDAR') {
      this.#close(line.start, true);
      this.#open(line);
      return;
    }
    if (this.#current !== undefined && outermost.has(name) && outermost.has(this.#current.name))
      this.#close(line.start, true);
    if (this.#current === undefined) this.#beginOutermost(name, line);
    else this.#beginInner(name, this.#current);
  }

  #open(line: Line): FoundCalendar {
    this.#counted();
    this.#calendar = { line: line.number, lines: [], zones: new Map() };
    this.#calendars.push(this.#calendar);
    return this.#calendar;
  }

  #beginOutermost(name: string, line: Line): void {
    // A file of nothing but events is what some programs write.
    if (this.#calendar === undefined && !outermost.has(name)) return;
    this.#counted();
    const calendar = this.#calendar ?? this.#open(line);
    this.#current = { name, calendar, start: line.start, line: line.number, end: line.end, open: false };
    this.#inner = [];
    this.#properties = 0;
  }

  #counted(): void {
    this.#count += 1;
    if (this.#count <= readLimits.components) return;
    const most = readLimits.components.toLocaleString('en');
    throw fieldProblem('icsData', `must have at most ${most} components`, {
      sentence: `The file has more than ${most} components. Split it.`,
    });
  }

  #beginInner(name: string, current: Found): void {
    // The calendar and the component itself are two.
    if (this.#inner.length + 2 < readLimits.depth) this.#inner.push(name);
    else current.bad ??= { code: 'EVENT_TOO_DEEP', message: 'Its components are nested too deeply.' };
  }

  #end(name: string, line: Line): void {
    if (name === 'VCALENDAR') {
      this.#close(line.start, true);
      this.#calendar = undefined;
      return;
    }
    if (this.#current === undefined) return;
    const at = this.#inner.lastIndexOf(name);
    if (at >= 0) this.#inner.length = at;
    else if (name === this.#current.name) this.#close(line.end, false);
  }

  /** The current component ends here, if there is one. */
  #close(end: number, open: boolean): void {
    const found = this.#current;
    if (found === undefined) return;
    this.#current = undefined;
    found.end = end;
    found.open = open;
    const most = found.name === 'VTIMEZONE' ? readLimits.zoneBytes : readLimits.bytes;
    if (end - found.start > most)
      found.bad ??= { code: 'EVENT_TOO_LARGE', message: `It has more than ${most.toLocaleString('en')} bytes.` };
    if (found.name !== 'VTIMEZONE') this.#components.push(found);
    else if (found.tzid !== undefined)
      for (const zones of [found.calendar.zones, this.#zones]) if (!zones.has(found.tzid)) zones.set(found.tzid, found);
  }

  #property(line: Line, first: number): void {
    const found = this.#current;
    if (found === undefined) {
      const lines = this.#calendar?.lines;
      if (lines !== undefined && lines.length < readLimits.calendarProperties && line.end - line.start < 10_000)
        lines.push(line);
      return;
    }
    this.#properties += 1;
    if (this.#properties > readLimits.properties)
      found.bad ??= { code: 'PROPERTIES_TOO_MANY', message: 'It has too many properties.' };
    if (this.#inner.length > 0 || (first !== LETTER_U && first !== LETTER_T)) return;
    const head = headOf(this.#bytes, line);
    if (/^UID\s*[:;]/i.test(head)) this.#takeUid(found, line);
    else if (found.name === 'VTIMEZONE' && /^TZID\s*[:;]/i.test(head)) found.tzid ??= this.#text(line) ?? '';
  }

  #takeUid(found: Found, line: Line): void {
    const uid = this.#text(line)?.trim();
    if (uid === undefined) found.bad ??= { code: 'UID_INVALID', message: 'Its UID is too long, or cannot be read.' };
    else if (uid !== '') found.uid ??= uid;
  }

  #text(line: Line): string | undefined {
    // Folds and letters of several bytes make it longer in bytes than in characters.
    if (line.end - line.start > 6 * calendarLimits.uid) return undefined;
    try {
      const text = textOf(propertyFrom(unfolded(this.#bytes, line).text));
      return text.length > calendarLimits.uid ? undefined : text;
    } catch {
      return undefined;
    }
  }
}
