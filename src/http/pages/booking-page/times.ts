import type { Slot } from '../../../contract/calendar/booking-fields.ts';
import { html, nothing, type Html } from '../reference/html.ts';

const DAY_MS = 86_400_000;
export const WEEK = 7;

/** `2026-03-29` as people say it. */
function dayText(day: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  }).format(Date.parse(`${day}T00:00:00Z`));
}

/** A moment as people in a zone say it. */
function momentText(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(Date.parse(at));
}

/** A zone that the caller named, if it is one. */
export function shownZone(zone: string, otherwise: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).format(0) === '' ? otherwise : zone;
  } catch {
    return otherwise;
  }
}

export function momentMarkup(at: string, timeZone: string): Html {
  return html`<time datetime="${at}">${momentText(at, timeZone)}</time>`;
}

function later(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The day that it is in a zone at a moment. */
export function today(now: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(now);
}

/** An address with a query, without what is not given. */
export function address(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

interface Week {
  /** the path of the page, and what else its links say */
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly date: string;
  readonly today: string;
  readonly timezone: string;
  readonly days: Readonly<Record<string, readonly Slot[]>>;
  /** of a week without any: where the next one is */
  readonly next: Slot | undefined;
}

/** The free times of a week as links, with the way to others. */
export function weekMarkup(week: Week): Html {
  const { path, query, date, timezone, days, next } = week;
  const common = { ...query, timezone };
  const link = (day: string) => address(path, { ...common, date: day });
  const shown = Object.entries(days).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const earlier = later(date, -WEEK) < week.today ? (date > week.today ? week.today : undefined) : later(date, -WEEK);
  return html`<form method="get" action="${path}" class="row">
      ${Object.entries({ ...query, date }).map(([name, value]) =>
        value === undefined ? nothing : html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      <div>
        <label for="timezone">Time zone</label>
        <select id="timezone" name="timezone">
          ${zoneNames(timezone).map((zone) => option(zone, zone === timezone))}
        </select>
      </div>
      <button class="button">Show times</button>
    </form>
    <h2 id="times">Times from ${dayText(date)}</h2>
    <nav aria-label="Other days" class="row">
      ${earlier === undefined ? nothing : html`<a class="button" rel="prev" href="${link(earlier)}">Earlier</a>`}
      <a class="button" rel="next" href="${link(later(date, WEEK))}">Later</a>
    </nav>
    ${shown.length === 0 ? empty(next, link) : shown.map(([day, slots]) => dayMarkup(day, slots, { path, query: common }))}`;
}

function empty(next: Slot | undefined, link: (day: string) => string): Html {
  if (next === undefined) return html`<p>There is no free time in these days.</p>`;
  const day = next.startLocal.slice(0, 10);
  return html`<p>
    There is no free time in these days. The next one is on <a href="${link(day)}">${dayText(day)}</a>.
  </p>`;
}

function dayMarkup(day: string, slots: readonly Slot[], { path, query }: Pick<Week, 'path' | 'query'>): Html {
  return html`<h3 id="day-${day}">${dayText(day)}</h3>
    <ul class="plain times" aria-labelledby="day-${day}">
      ${slots.map((slot) => {
        const href = address(path, { ...query, start: slot.start });
        return html`<li>
          <a href="${href}"><time datetime="${slot.start}">${clockText(slot, slots)}</time>${seats(slot)}</a>
        </li>`;
      })}
    </ul>`;
}

/** When the clocks are put back, a day shows some times twice. */
function clockText({ startLocal }: Slot, slots: readonly Slot[]): string {
  const clock = startLocal.slice(11, 16);
  const isTwice = slots.filter((other) => other.startLocal.slice(11, 16) === clock).length > 1;
  return isTwice ? `${clock} (UTC${startLocal.slice(19)})` : clock;
}

function seats({ seatsLeft }: Slot): string {
  return seatsLeft === undefined ? '' : `, ${seatsLeft} left`;
}

export function option(value: string, isChosen: boolean): Html {
  return isChosen
    ? html`<option value="${value}" selected>${value}</option>`
    : html`<option value="${value}">${value}</option>`;
}

function zoneNames(chosen: string): string[] {
  return [...new Set([chosen, 'UTC', ...Intl.supportedValuesOf('timeZone')])].toSorted();
}
