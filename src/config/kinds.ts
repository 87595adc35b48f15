import { isIP } from 'node:net';
import { wholeNumber } from '../base/whole-number.ts';
import { parsedUrl } from '../base/parsed-url.ts';

/** Parses and shows a kind of value. `parse` throws a `WrongValue` that names the expected form and never repeats the given value. */
export interface Kind<T> {
  /** @param raw text from a flag or a variable; or text, a number, a boolean or a list from the file */
  parse(raw: unknown): T;
  show(value: T): string;
  readonly choices?: readonly string[];
  readonly boolean?: true;
  /** a path; a relative path in the file starts at the folder of the file, and any other at the working directory */
  readonly path?: true;
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export class WrongValue extends Error {}

export const path: Kind<string> = {
  parse: (raw) => textOf(raw, 'must be a path'),
  show: String,
  path: true,
};

export const host: Kind<string> = {
  parse(raw) {
    const name = textOf(raw, wantedHost);
    if (isIP(name) === 0 && !/^(?!-)[\da-z.-]{1,253}(?<![-.])$/i.test(name)) throw new WrongValue(wantedHost);
    return name;
  },
  show: String,
};
const wantedHost = 'must be a host name or an address, without a port';

export const onOff: Kind<boolean> = {
  parse(raw) {
    if (typeof raw === 'boolean') return raw;
    if (raw === 'on' || raw === 'true' || raw === '1') return true;
    if (raw === 'off' || raw === 'false' || raw === '0') return false;
    throw new WrongValue('must be on or off');
  },
  show: (value) => (value ? 'on' : 'off'),
  boolean: true,
};

export function choice<const T extends string>(...choices: readonly T[]): Kind<T> {
  return {
    parse(raw) {
      const found = choices.find((one) => one === raw);
      if (found === undefined) throw new WrongValue(`must be one of ${choices.join(', ')}`);
      return found;
    },
    show: String,
    choices,
  };
}

/** A limit: so many in so much time. */
export interface Rate {
  readonly points: number;
  readonly seconds: number;
}

/** @param why the reason for the minimum, for the message */
export function integer(min: number, max: number, why?: string): Kind<number> {
  const wanted = `must be a whole number from ${min} to ${max}${why === undefined ? '' : ` (${why})`}`;
  return {
    parse(raw) {
      const value = typeof raw === 'string' ? (wholeNumber(raw) ?? raw) : raw;
      if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max)
        throw new WrongValue(wanted);
      return value;
    },
    show: String,
  };
}

type Units = ReadonlyMap<string, number>;

const unitsOfTime: Units = new Map([
  ['ms', 1],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
  ['d', DAY],
]);
const unitsOfSize: Units = new Map([
  ['', 1],
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
  ['TiB', 1024 ** 4],
]);

/** Milliseconds, written `500ms`, `10s`, `15m`, `1h`, `7d`. */
export function duration(min: number, max: number): Kind<number> {
  const wanted = `must be a time from ${showTime(min)} to ${showTime(max)}, such as 500ms, 10s, 15m, 1h or 7d`;
  return measure(unitsOfTime, min, max, wanted);
}

/** Bytes, written `65536`, `64KiB`, `1MiB`. */
export function size(min: number, max: number): Kind<number> {
  const wanted = `must be a size from ${inUnits(min, unitsOfSize)} to ${inUnits(max, unitsOfSize)}, such as 64KiB or 1MiB`;
  return measure(unitsOfSize, min, max, wanted);
}

function measure(units: Units, min: number, max: number, wanted: string): Kind<number> {
  return {
    parse(raw) {
      const value = typeof raw === 'number' || typeof raw === 'string' ? amount(String(raw), units) : undefined;
      if (value === undefined || value < min || value > max) throw new WrongValue(wanted);
      return value;
    },
    show: (value) => inUnits(value, units),
  };
}

function amount(raw: string, units: Units): number | undefined {
  const match = /^(\d{1,15})([A-Za-z]*)$/.exec(raw);
  const unit = match === null ? undefined : units.get(match[2] ?? '');
  const count = wholeNumber(match?.[1]);
  return count === undefined || unit === undefined ? undefined : count * unit;
}

/** Writes a value in the largest unit that gives a whole number. */
function inUnits(value: number, units: Units): string {
  const fitting = [...units].findLast(([, unit]) => value >= unit && value % unit === 0);
  return fitting === undefined ? `${value}${[...units.keys()].at(0)}` : `${value / fitting[1]}${fitting[0]}`;
}

function showTime(ms: number): string {
  return inUnits(ms, unitsOfTime);
}

/** `10/15m`: ten in fifteen minutes; `off`: no limit. */
export const rate: Kind<Rate | undefined> = {
  parse(raw) {
    if (raw === 'off') return undefined;
    const match = typeof raw === 'string' ? /^(\d{1,9})\/(\w+)$/.exec(raw) : null;
    const points = wholeNumber(match?.[1]) ?? 0;
    const period = amount(match?.[2] ?? '', unitsOfTime) ?? 0;
    // The period is at least a second, and at most 24 days because longer timers of Node fire at once.
    if (points === 0 || period < SECOND || period > 24 * DAY) {
      throw new WrongValue('must be a rate such as 10/15m (at least 1 in 1s to 24d), or off');
    }
    return { points, seconds: Math.ceil(period / SECOND) };
  },
  show: (value) => (value === undefined ? 'off' : `${value.points}/${showTime(value.seconds * SECOND)}`),
};

/** A list of texts in the file; in flags and variables, texts separated by commas. */
export function list(one: (item: string) => string): Kind<readonly string[]> {
  return {
    parse(raw) {
      const items: unknown = typeof raw === 'string' ? raw.split(',').map((item) => item.trim()) : raw;
      if (!Array.isArray(items)) throw new WrongValue('must be a list');
      return items.filter((item) => item !== '').map((item) => one(textOf(item, 'must be a list of strings')));
    },
    show: (items) => items.join(','),
  };
}

/** An origin as browsers send it: scheme, host, port. */
export function origin(item: string): string {
  const url = parsedUrl(item);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.origin !== item.replace(/\/$/, '')) {
    throw new WrongValue('must be origins such as https://home.example, without a path; * is not one');
  }
  return url.origin;
}

/** The base URL of a service: `http` or `https`, optionally with a path, and nothing else. */
export const serviceUrl: Kind<string> = {
  parse(raw) {
    const wanted = 'must be a URL such as https://service.example';
    const text = textOf(raw, wanted);
    const url = parsedUrl(text);
    if (url === undefined || !/^https?:$/.test(url.protocol)) throw new WrongValue(wanted);
    if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
      throw new WrongValue('must not have a user, a query or a fragment');
    }
    return url.href.replace(/\/+$/, '');
  },
  show: String,
};

/** An address or a CIDR range. */
export function network(item: string): string {
  const [address = '', prefix] = item.split('/');
  const most = { 4: 32, 6: 128 }[isIP(address)];
  if (most === undefined || (prefix !== undefined && wholeNumber(prefix, most) === undefined)) {
    throw new WrongValue('must be addresses or ranges such as 10.0.0.0/8');
  }
  return item;
}

function textOf(raw: unknown, wanted: string): string {
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  if (typeof raw !== 'string' || raw.length === 0 || raw.length > 4096 || /[\u0000-\u001f\u007f]/.test(raw))
    throw new WrongValue(wanted);
  return raw;
}
