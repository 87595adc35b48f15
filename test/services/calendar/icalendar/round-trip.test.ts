import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JcalComponent, JcalProperty } from '../../../../src/services/calendar/icalendar/jcal.ts';
import { calendarText, objectText } from '../../../../src/services/calendar/icalendar/write.ts';
import { runs } from '../../../support/stage.ts';
import { crlf, eventOf, readAll, readOne, withLines, zones } from './support.ts';

/** Text of all letters, also those that files escape, and emoji. Control characters are not text. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.constantFrom('\\', ';', ',', '\n', '"', '^', ':', '🎂', '👩‍👩‍👧', 'ß', '\\n'),
    ),
    { maxLength: 30 },
  )
  // oxlint-disable-next-line no-control-regex -- what may not be in text is left out
  .map((parts) => parts.join('').replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f\r]|\p{Surrogate}/gu, ''));
const line = text.map((value) => value.replaceAll('\n', ' '));
/** Without blanks at the ends, which programs may drop. */
const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,10}$/).map((value) => value.toLowerCase());
const param = fc.tuple(
  word.map((name) => `x-${name}`),
  fc.oneof(line, fc.array(line, { minLength: 2, maxLength: 3 })),
);
const params = fc.array(param, { maxLength: 3 }).map((all) => Object.fromEntries(all));

const property: fc.Arbitrary<JcalProperty> = fc.oneof(
  fc.tuple(fc.constantFrom('summary', 'description', 'location', 'comment'), params, fc.constant('text'), text),
  fc.tuple(
    word.map((name) => `x-${name}`),
    params,
    fc.constant('unknown'),
    line,
  ),
  fc.tuple(
    word.map((name) => `x-${name}`),
    params,
    fc.constantFrom('text'),
    text,
  ),
  fc.tuple(fc.constant('categories'), fc.constant({}), fc.constant('text'), text, text),
  fc.tuple(fc.constant('attendee'), params, fc.constant('cal-address'), fc.constant('mailto:a@example.com')),
  fc.constantFrom<JcalProperty>(
    ['exdate', { tzid: 'Europe/Berlin' }, 'date-time', '2026-03-01T10:00:00', '2026-03-02T10:00:00'],
    ['rdate', {}, 'period', ['2026-03-01T10:00:00Z', 'PT1H']],
    ['geo', {}, 'float', ['48.10', '11.50']],
    ['priority', {}, 'integer', 5],
    ['rrule', {}, 'recur', { freq: 'WEEKLY', byday: ['MO', 'WE'], until: '2026-12-31T00:00:00Z', 'x-part': 'A' }],
    ['attach', { encoding: 'BASE64' }, 'binary', 'SGVsbG8='],
    ['request-status', {}, 'text', ['2.0', 'Success']],
    ['conference', { feature: ['AUDIO', 'VIDEO'] }, 'uri', 'https://example.com/a,b;c'],
  ),
) as fc.Arbitrary<JcalProperty>;

const component = (name: string, inner: fc.Arbitrary<JcalComponent[]>): fc.Arbitrary<JcalComponent> =>
  fc.tuple(fc.constant(name), fc.array(property, { maxLength: 8 }), inner);

const event = component(
  'vevent',
  fc.array(
    fc.oneof(
      component('valarm', fc.constant([])),
      component('x-inner', fc.array(component('x-most', fc.constant([])), { maxLength: 2 })),
    ),
    { maxLength: 3 },
  ),
).map(([name, properties, components]): JcalComponent => [
  name,
  [
    ['uid', {}, 'text', 'one'],
    ['dtstart', { tzid: 'Europe/Berlin' }, 'date-time', '2026-03-01T10:00:00'],
    ...properties,
  ],
  components,
]);

describe('what is written', () => {
  it('is read as it was: properties, parameters, alarms and what nobody knows', () => {
    fc.assert(
      fc.property(event, (given) => {
        expect(eventOf(readOne(objectText(['vcalendar', [], [given]], zones)))).toEqual(given);
      }),
      { numRuns: runs(500) },
    );
  });

  it('has lines of at most 75 octets that end between letters', () => {
    fc.assert(
      fc.property(event, (given) => {
        const written = objectText(['vcalendar', [], [given]], zones);
        for (const one of written.slice(0, -2).split('\r\n')) {
          expect(Buffer.byteLength(one)).toBeLessThanOrEqual(75);
          expect(one).not.toMatch(/[\r\n]/);
          expect(one).not.toMatch(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it('has no line that somebody put into a value', () => {
    const evil = 'x\r\nEND:VEVENT\rBEGIN:VEVENT\nUID:evil';
    const properties: JcalProperty[] = [
      ['uid', {}, 'text', 'one'],
      ['dtstart', {}, 'date-time', '2026-03-01T10:00:00Z'],
      ['summary', { 'x-a': evil, [evil]: 'b' }, 'text', evil],
      ['url', {}, 'uri', evil],
      ['x-b', {}, 'unknown', evil],
      ['priority', {}, 'integer', evil],
      ['attendee', { cn: [evil, evil] }, 'cal-address', evil],
    ];
    const results = readAll(
      objectText(['vcalendar', [], [['vevent', properties, []]]], zones, { name: evil, method: evil }),
    );
    expect(results.map(({ uid }) => uid)).toEqual(['one']);
  });

  it.each([
    'X-FOO;X-BAR=a,b;X-Q="c;d","e:f":value\\, kept\\; as it is',
    'ATTENDEE;MEMBER="mailto:a@example.com","mailto:b@example.com";CN="Doe, Jane":mailto:c@example.com',
    'SUMMARY;LANGUAGE=de:Größe\\, Maß\\; und \\\\ mehr\\nZeile',
    "X-CARET;X-P=a^nb^^c^'d:e",
    'GEO:48.100;11.50',
    'PRIORITY:high',
    'REFRESH-INTERVAL;VALUE=DURATION:PT12H',
    'X-APPLE-STRUCTURED-LOCATION;X-TITLE="A, B";VALUE=URI:geo:1.0,2.0',
    'RRULE:FREQ=YEARLY;RSCALE=HEBREW;BYMONTH=5L;SKIP=FORWARD',
  ])('has this line as it was read: %s', (given) => {
    expect(objectText(readOne(withLines(given)), zones).replaceAll('\r\n ', '')).toContain(`\r\n${given}\r\n`);
  });
});

describe('a calendar of many events', () => {
  const collect = async (objects: readonly JcalComponent[]): Promise<string> => {
    let all = '';
    for await (const part of calendarText(objects, zones, { name: 'Work, and more' })) all += part;
    return all;
  };
  const at = (uid: string, tzid: string, ...definitions: readonly JcalComponent[]): JcalComponent => [
    'vcalendar',
    [],
    [
      ...definitions,
      [
        'vevent',
        [
          ['uid', {}, 'text', uid],
          ['dtstart', { tzid }, 'date-time', '2026-03-01T10:00:00'],
        ],
        [],
      ],
    ],
  ];
  const custom = (offset: string): JcalComponent => [
    'vtimezone',
    [
      ['tzid', {}, 'text', 'Customized Time Zone'],
      ['x-conclave-zone', {}, 'text', 'UTC'],
      ['x-keep', {}, 'unknown', 'me'],
    ],
    [
      [
        'standard',
        [
          ['dtstart', {}, 'date-time', '1970-01-01T00:00:00'],
          ['tzoffsetfrom', {}, 'utc-offset', offset],
          ['tzoffsetto', {}, 'utc-offset', offset],
        ],
        [],
      ],
    ],
  ];

  it('describes each zone once, before the first event in it', async () => {
    const written = await collect([at('a', 'Europe/Berlin'), at('b', 'America/New_York'), at('c', 'Europe/Berlin')]);
    expect(written.match(/TZID:[\w/]+/g)).toEqual(['TZID:Europe/Berlin', 'TZID:America/New_York']);
    expect(written.indexOf('TZID:America/New_York')).toBeLessThan(written.indexOf('UID:b'));
    expect(written).toContain('X-WR-CALNAME:Work\\, and more\r\n');
    expect(readAll(written).map(({ uid }) => uid)).toEqual(['a', 'b', 'c']);
  });

  it('calls two zones apart that are called alike and are not', async () => {
    const name = 'Customized Time Zone';
    const written = await collect([
      at('a', name, custom('+01:00')),
      at('b', name, custom('+02:00')),
      at('c', name, custom('+01:00')),
    ]);
    expect(written.match(/TZID:.*/g)).toEqual([`TZID:${name}`, `TZID:${name} 2`]);
    expect(written.match(/DTSTART;TZID=[^:]*/g)).toEqual([
      `DTSTART;TZID=${name}`,
      `DTSTART;TZID=${name} 2`,
      `DTSTART;TZID=${name}`,
    ]);
    expect(written).toContain('X-KEEP:me');
    expect(written).not.toMatch(/conclave-zone/i);
  });

  it('comes in parts', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => at(`e${index}`, 'Europe/Berlin'));
    const sizes: number[] = [];
    for await (const part of calendarText(many, zones)) sizes.push(part.length);
    expect(sizes.length).toBeGreaterThan(3);
    expect(Math.max(...sizes)).toBeLessThan(70_000);
  });

  it('is a calendar without events too', async () => {
    expect(await collect([])).toBe(
      crlf(
        'BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Conclave//Conclave//EN\nCALSCALE:GREGORIAN\nX-WR-CALNAME:Work\\, and more\nEND:VCALENDAR',
      ),
    );
  });
});
