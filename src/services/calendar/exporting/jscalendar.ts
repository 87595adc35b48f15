import { plainNumber } from '../../../base/whole-number.ts';
import type { Event } from '../../../contract/calendar/event.ts';
import type { RuleObject } from '../../../contract/calendar/recurrence.ts';
import { DAY, wallDay, wallText } from '../recurrence/civil.ts';
import { openSeries, type Reader } from '../recurrence/open-series.ts';
import type { RecurrenceSet } from '../recurrence/recurrence-set.ts';
import { momentOf, type Frame, type Series } from '../recurrence/series.ts';
import { formatSpan } from '../recurrence/span.ts';
import { untilKey } from '../recurrence/until.ts';

/** Events as JSCalendar (RFC 8984) has them. */

type Json = Readonly<Record<string, unknown>>;

/** An event or series, and the instances of it that were changed by themselves. */
export interface EventToWrite {
  readonly event: Event;
  readonly changed: readonly Event[];
  readonly series: Series;
  readonly set: RecurrenceSet;
  readonly reader: Reader;
}

export function jscalendarEvent(one: EventToWrite): Json {
  const { event, series, set } = one;
  const { frame } = set;
  const own = fieldsOf(event);
  const about = {
    '@type': 'Event',
    uid: event.uid,
    created: event.dateCreated,
    updated: event.dateModified,
    sequence: event.sequence,
    ...own,
  };
  if (event.isException)
    return {
      ...about,
      recurrenceId: localTime(event.recurrenceId ?? ''),
      recurrenceIdTimeZone: frame.kind === 'zoned' ? ianaName(frame.zone) : null,
    };
  const overrides = overridesOf(own, one);
  return {
    ...about,
    ...(series.rules.length > 0 && { recurrenceRules: series.rules.map((rule) => ruleOf(rule, frame)) }),
    ...(Object.keys(overrides).length > 0 && { recurrenceOverrides: overrides }),
  };
}

/** What is left out, added and changed, by when the series has it. */
function overridesOf(own: Json, { changed, series, set, reader }: EventToWrite): Record<string, Json> {
  const overrides: Record<string, Json> = {};
  for (const { key, wall, end } of set.explicit) {
    if (key === set.start?.key && end === undefined) continue;
    const length = typeof end === 'number' ? { days: 0, ms: end - key } : end;
    overrides[wallText(wall)] = length === undefined ? {} : { duration: formatSpan(length) };
  }
  for (const wall of excludedBy(series, set, reader)) overrides[wallText(wall)] = { excluded: true };
  for (const one of changed) {
    const start = localTime(one.recurrenceId ?? '');
    overrides[start] = differences({ ...own, start }, fieldsOf(one));
  }
  return overrides;
}

/** A day that is left out of a series of times stands for all that begins then. */
function* excludedBy(series: Series, { frame }: RecurrenceSet, reader: Reader): Generator<number> {
  for (const date of series.exdates) {
    const { key, wall, wholeDay } = momentOf(date, frame);
    if (!wholeDay) {
      yield wall;
      continue;
    }
    const { set } = openSeries({ ...series, exdates: [], overrides: [] }, reader);
    for (const item of set.items({ from: key, to: key + 2 * DAY }))
      if (wallDay(item.wall) === wallDay(wall)) yield item.wall;
  }
}

function localTime(text: string): string {
  return text.includes('T') ? text.replace(/Z$/, '').slice(0, 19) : `${text.slice(0, 10)}T00:00:00`;
}

/** UTC has another name among zones. */
function ianaName(zone: string): string {
  return zone === 'UTC' ? 'Etc/UTC' : zone;
}

const privacy = { PUBLIC: 'public', PRIVATE: 'private', CONFIDENTIAL: 'secret' } as const;

function fieldsOf(event: Event): Json {
  const { allDay, floating, url, categories, color, priority, conference } = event;
  return {
    title: event.summary,
    description: event.description,
    start: localTime(event.dtstart),
    timeZone: allDay || floating === true ? null : ianaName(event.dtstartTzid ?? 'UTC'),
    duration: event.duration,
    showWithoutTime: allDay,
    status: event.status.toLowerCase(),
    freeBusyStatus: event.transparency === 'OPAQUE' ? 'busy' : 'free',
    privacy: privacy[event.visibility],
    ...(categories.length > 0 && { keywords: Object.fromEntries(categories.map((one) => [one, true])) }),
    ...(color !== undefined && { color }),
    ...(priority !== undefined && { priority }),
    ...(event.location !== '' && { locations: { 1: { '@type': 'Location', name: event.location } } }),
    ...(conference !== undefined && {
      virtualLocations: {
        1: { '@type': 'VirtualLocation', uri: conference.uri, ...(conference.label && { name: conference.label }) },
      },
    }),
    ...linksOf(url, event.attachments),
    ...peopleOf(event),
    ...(event.reminders.length > 0 && { alerts: numbered(event.reminders.map(alertOf)) }),
  };
}

function numbered(all: readonly Json[]): Json {
  return Object.fromEntries(all.map((one, index) => [String(index + 1), one]));
}

function linksOf(url: string | undefined, attachments: Event['attachments']): Json {
  const links = [
    ...(url === undefined ? [] : [{ '@type': 'Link', href: url }]),
    ...attachments.flatMap(({ uri, contentType, filename, size }) =>
      uri === undefined
        ? []
        : [
            {
              '@type': 'Link',
              href: uri,
              rel: 'enclosure',
              ...(contentType !== undefined && { contentType }),
              ...(filename !== undefined && { title: filename }),
              ...(size !== undefined && { size }),
            },
          ],
    ),
  ];
  return links.length === 0 ? {} : { links: numbered(links) };
}

const roles = {
  CHAIR: 'chair',
  'REQ-PARTICIPANT': 'attendee',
  'OPT-PARTICIPANT': 'optional',
  'NON-PARTICIPANT': 'informational',
} as const;

function peopleOf({ organizer, attendees }: Event): Json {
  const owner = organizer?.email?.toLowerCase();
  const people = attendees.map(({ email, displayName, role, partstat, rsvp }) => ({
    ...personOf(email, displayName),
    roles: {
      attendee: true,
      [roles[role]]: true,
      ...(owner !== undefined && owner === email?.toLowerCase() && { owner: true }),
    },
    participationStatus: partstat.toLowerCase(),
    expectReply: rsvp,
  }));
  const isAmong = attendees.some(({ email }) => email?.toLowerCase() === owner);
  const all =
    organizer === undefined || isAmong
      ? people
      : [{ ...personOf(organizer.email, organizer.displayName), roles: { owner: true } }, ...people];
  if (all.length === 0) return {};
  return { participants: numbered(all), ...(owner !== undefined && { replyTo: { imip: `mailto:${owner}` } }) };
}

function personOf(email: string | undefined, name: string | undefined): Json {
  return {
    '@type': 'Participant',
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email, sendTo: { imip: `mailto:${email}` } }),
  };
}

function alertOf({ action, trigger, relatedTo }: Event['reminders'][number]): Json {
  const when =
    relatedTo === undefined
      ? { '@type': 'AbsoluteTrigger', when: trigger }
      : { '@type': 'OffsetTrigger', offset: trigger, relativeTo: relatedTo.toLowerCase() };
  return { '@type': 'Alert', action: action === 'EMAIL' ? 'email' : 'display', trigger: when };
}

function ruleOf(whole: RuleObject, frame: Frame): Json {
  const { freq, until, byDay, byMonth, wkst, ...rule } = whole;
  const others = {
    interval: rule.interval,
    count: rule.count,
    bySecond: rule.bySecond,
    byMinute: rule.byMinute,
    byHour: rule.byHour,
    byMonthDay: rule.byMonthDay,
    byYearDay: rule.byYearDay,
    byWeekNo: rule.byWeekNo,
    bySetPosition: rule.bySetPos,
  };
  return {
    '@type': 'RecurrenceRule',
    frequency: freq.toLowerCase(),
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)),
    ...(until !== undefined && { until: localUntil(whole, frame) }),
    ...(byDay !== undefined && { byDay: byDay.map(dayOf) }),
    ...(byMonth !== undefined && { byMonth: byMonth.map(String) }),
    ...(wkst !== undefined && { firstDayOfWeek: wkst.toLowerCase() }),
  };
}

/** Of iCalendar it is in UTC; here it is in the zone of the event. */
function localUntil(rule: RuleObject, frame: Frame): string {
  const key = untilKey(rule, frame);
  return wallText(frame.kind === 'zoned' ? frame.zones.toWall(frame.zone, key) : key);
}

function dayOf(text: string): Json {
  const [, nth = '', day = ''] = /^([+-]?\d*)([A-Z]{2})$/.exec(text) ?? [];
  return {
    '@type': 'NDay',
    day: day.toLowerCase(),
    ...(nth !== '' && { nthOfPeriod: plainNumber(nth.replace('+', '')) }),
  };
}

/** A patch (RFC 8984 1.4.9): what differs, and null for what is not there any more. */
function differences(before: Json, after: Json): Json {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]));
}
