import { isUtf8 } from 'node:buffer';
import { sha256HexOfText } from '../../../../crypto/hash.ts';
import { textOf, type JcalProperty } from '../jcal.ts';
import { unfolded } from '../text/lines.ts';
import { propertyFrom } from '../text/property.ts';
import type { Zones } from '../zones/zone-times.ts';
import { definitionsOf } from './definitions.ts';
import { readGroup } from './group.ts';
import type { Group, ReadResult } from './result.ts';
import { scan, type Found, type FoundCalendar } from './scan.ts';

/** Bytes between two rests, where it is bytes that take time. */
const SLICE = 256 * 1024;

export interface CalendarFile {
  /** results that `objects` will give */
  readonly total: number;
  readonly calendars: readonly FileCalendar[];
  /** reads one after another; give it back to the event loop between them. @param from how many to leave out */
  objects(from?: number): Generator<ReadResult>;
}

export interface FileCalendar {
  readonly line: number;
  /** METHOD of an invitation, in upper case */
  readonly method?: string;
  /** `NAME` or `X-WR-CALNAME` */
  readonly name?: string;
  /** `X-WR-TIMEZONE`, as it is written */
  readonly timezone?: string;
  readonly properties: readonly JcalProperty[];
}

/**
 * Reads iCalendar (RFC 5545), and vCalendar 1.0 as far as it is alike: with any line ends, with or without a byte order mark, also UTF-16.
 * One bad event fails alone. The bytes must not change while its objects are read.
 *
 * @throws Problem invalid VALIDATION_ERROR with `icsData`: it is no calendar, or has more components than may be
 */
export function readCalendarFile(source: Uint8Array | string, zones: Zones): CalendarFile {
  const steps = readInSteps(source, zones);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * The same for large files: it rests now and then, so that others have their turn.
 * @throws Problem as readCalendarFile()
 */
export function* readInSteps(source: Uint8Array | string, zones: Zones): Generator<undefined, CalendarFile> {
  const bytes = yield* toUtf8(source);
  const { calendars, components, zones: described } = yield* scan(bytes);
  const read = new Map(calendars.map((calendar) => [calendar, readCalendar(bytes, calendar)]));
  const groups = yield* groupsOf(bytes, components);
  return {
    total: groups.length,
    calendars: [...read.values()],
    *objects(from = 0) {
      const definitions = definitionsOf(bytes, described, zones);
      for (const group of from === 0 ? groups : groups.slice(from)) {
        const [first] = group.components;
        const properties = first === undefined ? [] : (read.get(first.calendar)?.properties ?? []);
        yield readGroup(bytes, group, { properties, definitions });
      }
    },
  };
}

function* toUtf8(source: Uint8Array | string): Generator<undefined, Uint8Array> {
  const bytes = typeof source === 'string' ? Buffer.from(source) : source;
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return bytes.subarray(3);
  if (first === 0xff && second === 0xfe) return yield* decoded(bytes.subarray(2), 'utf-16le');
  if (first === 0xfe && second === 0xff) return yield* decoded(bytes.subarray(2), 'utf-16be');
  return bytes;
}

function* decoded(bytes: Uint8Array, encoding: string): Generator<undefined, Uint8Array> {
  const decoder = new TextDecoder(encoding);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += SLICE) {
    parts.push(Buffer.from(decoder.decode(bytes.subarray(at, at + SLICE), { stream: true })));
    yield;
  }
  return Buffer.concat([...parts, Buffer.from(decoder.decode())]);
}

function readCalendar(bytes: Uint8Array, { line, lines }: FoundCalendar): FileCalendar {
  const properties = lines.flatMap((one): JcalProperty[] => {
    try {
      return [propertyFrom(unfolded(bytes, one).text)];
    } catch {
      // What stands between events is often a remark, and belongs to none of them.
      return [];
    }
  });
  const said = (...names: readonly string[]): string | undefined => {
    const found = names.flatMap((name) => textOf(properties.find(([one]) => one === name)).trim() || []);
    return found[0];
  };
  const [method, name, timezone] = [said('method')?.toUpperCase(), said('name', 'x-wr-calname'), said('x-wr-timezone')];
  return {
    line,
    ...(method !== undefined && { method }),
    ...(name !== undefined && { name }),
    ...(timezone !== undefined && { timezone }),
    properties,
  };
}

function* groupsOf(bytes: Uint8Array, components: readonly Found[]): Generator<undefined, Group[]> {
  const groups = new Map<string, { uid: string | undefined; components: Found[] }>();
  let bytesRead = 0;
  for (const [at, found] of components.entries()) {
    const { name, bad } = found;
    if (found.uid === undefined) bytesRead += found.end - found.start;
    if (at % 100 === 99 || bytesRead > SLICE) {
      yield;
      bytesRead = 0;
    }
    // What can't be read at all, and has no UID, is nothing but a result of its own.
    const uid = found.uid ?? (bad === undefined ? uidOf(bytes, found) : undefined);
    const key = uid === undefined ? `${at}` : `${name}\n${uid}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { uid, components: [found] });
    else group.components.push(found);
  }
  return [...groups.values()];
}

/** Of an event without a UID: the same each time that the event is imported. When it was written is no part of it. */
function uidOf(bytes: Uint8Array, { start, end }: Found): string {
  const octets = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
  const text = octets.toString(isUtf8(octets) ? 'utf8' : 'latin1');
  const lines = text.split(/\r\n?|\n/).filter((line) => !/^(?:DTSTAMP|CREATED|LAST-MODIFIED)[:;]/i.test(line));
  return sha256HexOfText(lines.join('\n').trimEnd()).slice(0, 32);
}
