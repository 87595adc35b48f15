import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendars } from '../../../src/contract/calendar/calendars.ts';
import { engines } from '../../support/stores.ts';
import { runs } from '../../support/stage.ts';
import { calendarOf, contentOf, eventOf, exported, imported, json } from './calendar-files.ts';
import { openCalendars } from './calendar-scene.ts';
import { clients } from './icalendar/samples/clients.ts';
import { others } from './icalendar/samples/others.ts';
import { crlf } from './icalendar/support.ts';

interface Exported {
  readonly events: readonly Record<string, unknown>[];
  readonly entries: readonly Record<string, unknown>[];
}

const override = (uid: string, at: string, ...lines: readonly string[]) =>
  [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20260101T000000Z',
    `RECURRENCE-ID;TZID=Europe/Berlin:${at}`,
    ...lines,
    'END:VEVENT',
  ].join('\n');

const series = [
  'BEGIN:VEVENT',
  'UID:series',
  'DTSTAMP:20260101T000000Z',
  'DTSTART;TZID=Europe/Berlin:20260302T090000',
  'DURATION:PT30M',
  'RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20260330T070000Z',
  'RRULE:FREQ=MONTHLY;BYMONTHDAY=15;COUNT=3',
  'RDATE;TZID=Europe/Berlin;VALUE=PERIOD:20260305T120000/PT2H',
  'EXDATE;VALUE=DATE:20260309',
  'SUMMARY:Series',
  'END:VEVENT',
].join('\n');
const changed = [
  override(
    'series',
    '20260316T090000',
    'DTSTART;TZID=Europe/Berlin:20260317T100000',
    'DURATION:PT30M',
    'SUMMARY:Moved',
  ),
  override(
    'series',
    '20260323T090000',
    'DTSTART;TZID=Europe/Berlin:20260323T090000',
    'DURATION:PT30M',
    'SUMMARY:Off',
    'STATUS:CANCELLED',
  ),
];

/** The same with zones such as `Berlin 2` named `Berlin`. */
function withoutNumbers(content: ReturnType<typeof contentOf>): ReturnType<typeof contentOf> {
  const plain = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'tzid' in value
      ? { ...value, tzid: String(value.tzid).replace(/ \d+$/, '') }
      : value;
  return new Map([...content].map(([uid, one]) => [uid, JSON.parse(JSON.stringify(one, plain))]));
}

describe.each(engines)('exports of calendars on %s', (engine) => {
  it('have all rules, dates, changed and cancelled instances', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const { id } = await scene.calendarOf(ann, { timezone: 'Europe/Berlin' });
    const result = await imported(scene, ann, id, calendarOf(series, ...changed));
    expect(result).toMatchObject({ imported: 1, errors: [] });
    const native = (await json(scene, ann, id, 'native')) as unknown as Exported;
    expect(native.events.map(({ summary, status, recurrenceId }) => [summary, status, recurrenceId])).toEqual([
      ['Series', 'CONFIRMED', undefined],
      ['Moved', 'CONFIRMED', '2026-03-16T09:00:00'],
      ['Off', 'CANCELLED', '2026-03-23T09:00:00'],
    ]);
    expect(native.events[0]?.['recurrence']).toEqual([
      'RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20260330T070000Z',
      'RRULE:FREQ=MONTHLY;BYMONTHDAY=15;COUNT=3',
      'RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20260305T120000/PT2H',
      'EXDATE;VALUE=DATE:20260309',
    ]);
    const group = (await json(scene, ann, id, 'jscalendar')) as unknown as Exported;
    expect(group.entries).toMatchObject([
      {
        uid: 'series',
        start: '2026-03-02T09:00:00',
        timeZone: 'Europe/Berlin',
        // In the zone of the event, in which the clocks are put forward on the 29th.
        recurrenceRules: [
          { frequency: 'weekly', until: '2026-03-30T09:00:00' },
          { frequency: 'monthly', count: 3, byMonthDay: [15] },
        ],
        recurrenceOverrides: {
          '2026-03-05T12:00:00': { duration: 'PT2H' },
          '2026-03-09T09:00:00': { excluded: true },
          '2026-03-16T09:00:00': { title: 'Moved', start: '2026-03-17T10:00:00' },
          '2026-03-23T09:00:00': { title: 'Off', status: 'cancelled' },
        },
      },
    ]);
    expect(contentOf(await exported(scene, ann, id))).toEqual(contentOf(calendarOf(series, ...changed)));
  });

  it('have instances without their series, and days', async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const { id } = await scene.calendarOf(ann, { timezone: 'Europe/Berlin' });
    const days = [
      'BEGIN:VEVENT\nUID:days\nDTSTAMP:20260101T000000Z\nDTSTART;VALUE=DATE:20260302\nRRULE:FREQ=DAILY;UNTIL=20260305',
      'EXDATE;VALUE=DATE:20260303\nRDATE;VALUE=DATE:20260401\nEND:VEVENT',
    ].join('\n');
    await imported(scene, ann, id, calendarOf(changed[0]!, days));
    const group = (await json(scene, ann, id, 'jscalendar')) as unknown as Exported;
    const byUid = Object.fromEntries(group.entries.map((entry) => [entry['uid'], entry]));
    expect(byUid['series']).toMatchObject({
      recurrenceId: '2026-03-16T09:00:00',
      recurrenceIdTimeZone: 'Europe/Berlin',
      title: 'Moved',
    });
    expect(byUid['days']).toMatchObject({
      start: '2026-03-02T00:00:00',
      timeZone: null,
      showWithoutTime: true,
      recurrenceRules: [{ until: '2026-03-05T00:00:00' }],
      recurrenceOverrides: { '2026-03-03T00:00:00': { excluded: true }, '2026-04-01T00:00:00': {} },
    });
  });

  it('come back as they were, whatever programs wrote it, and in whatever order', { tags: 'thorough' }, async () => {
    await using scene = await openCalendars(engine);
    const { ann } = scene;
    const samples = [...clients, ...others].map(({ text }) => crlf(text));
    const line = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) =>
      // oxlint-disable-next-line no-control-regex -- what may not be in text is left out
      text.replaceAll(/[\u0000-\u001f\u007f\\;,"]|\p{Surrogate}/gu, ''),
    );
    const extra = fc
      .array(
        fc.tuple(line, fc.constantFrom('CLASS:PRIVATE', 'X-A;X-B="c:d":e', 'RRULE:FREQ=DAILY;COUNT=3', 'GEO:1.5;2.5')),
      )
      .map((all) => all.map(([text, more], at) => eventOf(`extra-${at}`, `SUMMARY:${text}`, more)));
    const files = fc.tuple(fc.subarray(samples, { minLength: 1 }), extra, fc.constantFrom('\r\n', '\n', '\r'));
    await fc.assert(
      fc.asyncProperty(files, async ([some, more, ending]) => {
        // Several calendars in one file, as programs write that join files.
        const file = [...some, calendarOf(...more)].join('').replaceAll('\r\n', ending);
        const first = await scene.calendarOf(ann);
        const second = await scene.calendarOf(ann);
        const result = await imported(scene, ann, first.id, file);
        // Of two zones of one name that differ, one has another name afterwards.
        const before = withoutNumbers(contentOf(file));
        expect([result.failed, result.imported]).toEqual([0, before.size]);
        const text = await exported(scene, ann, first.id);
        expect(withoutNumbers(contentOf(text))).toEqual(before);
        await imported(scene, ann, second.id, text);
        expect(withoutNumbers(contentOf(await exported(scene, ann, second.id)))).toEqual(before);
        for (const { id } of [first, second]) await scene.done(calendars.deleteCalendar, ann, { id });
        // A member may import so many files in an hour.
        await scene.later(10 * 60_000);
      }),
      { numRuns: runs(5) },
    );
  });
});
