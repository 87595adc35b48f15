import { describe, expect, it } from 'vitest';
import { readCalendarFile } from '../../../../src/services/calendar/icalendar/read/read.ts';
import { linesOf } from '../../../../src/services/calendar/icalendar/text/lines.ts';
import { crlf, eventOf, fieldsOf, readAll, readOne, withLines, zones } from './support.ts';

const MEBIBYTE = 1024 ** 2;

const event = (uid: string, ...lines: readonly string[]): string =>
  ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTART:20260301T100000Z', ...lines, 'END:VEVENT'].join('\n');
const calendar = (...events: readonly string[]): string =>
  crlf(['BEGIN:VCALENDAR', ...events, 'END:VCALENDAR'].join('\n'));

/** What became of each event: its UID, or the code of what is wrong with it. */
const outcomes = (source: string | Uint8Array): string[] =>
  readAll(source).map(({ uid, object, errors }) =>
    object === undefined ? (errors[0]?.code ?? 'nothing') : (uid ?? ''),
  );

describe('one bad event among many', () => {
  it.each([
    ['without a begin', 'BEGIN:VEVENT\nUID:bad\nSUMMARY:x\nEND:VEVENT', 'START_MISSING'],
    ['on a day that does not exist', event('bad').replace('20260301T100000Z', '20260230T100000Z'), 'TIME_INVALID'],
    ['with an exception at no time', event('bad', 'EXDATE:soon'), 'TIME_INVALID'],
    ['with a rule that is none', event('bad', 'RRULE:every day'), 'RULE_INVALID'],
    ['with a rule until no time', event('bad', 'RRULE:FREQ=DAILY;UNTIL=20260230'), 'RULE_INVALID'],
    ['with a duration that is none', event('bad', 'DURATION:long'), 'DURATION_INVALID'],
    ['of more than a mebibyte', event('bad', `DESCRIPTION:${'x'.repeat(MEBIBYTE)}`), 'EVENT_TOO_LARGE'],
    ['with too many properties', event('bad', ...Array.from({ length: 10_001 }, () => 'X-A:b')), 'PROPERTIES_TOO_MANY'],
    ['with too deep a nesting', event('bad', ...Array.from({ length: 7 }, () => 'BEGIN:X-IN')), 'EVENT_TOO_DEEP'],
    [
      'in too many zones',
      event('bad', ...Array.from({ length: 21 }, (_, at) => `X-A;TZID=Z${at}:b`)),
      'ZONES_TOO_MANY',
    ],
    ['with too long a UID', event('u'.repeat(1_025)), 'UID_INVALID'],
  ])('%s fails alone', (_, bad, code) => {
    expect(outcomes(calendar(event('a'), bad, event('b')))).toEqual(['a', code, 'b']);
    const failed = readAll(calendar(event('a'), bad, event('b'))).find(({ object }) => object === undefined);
    expect(failed?.errors).toMatchObject([{ code, line: 6 }]);
  });

  it('fails with what was changed in it, if it is a series', () => {
    const instance = event('s', 'RECURRENCE-ID:20260308T100000Z');
    const results = readAll(calendar(event('s', 'RRULE:daily'), instance, event('b')));
    expect(results.map(({ object }) => object?.uid)).toEqual([undefined, 'b']);
  });

  it('leaves a series without a changed instance that cannot be read', () => {
    const instance = event('s', 'RECURRENCE-ID:20260308T100000Z', 'DURATION:long');
    const [result] = readAll(calendar(event('s', 'RRULE:FREQ=DAILY'), instance));
    expect(result?.errors).toMatchObject([{ uid: 's', code: 'DURATION_INVALID' }]);
    expect(result?.object?.jcal[2]).toHaveLength(1);
  });
});

describe('reading', () => {
  it('puts all of one UID together, wherever it stands', () => {
    const [first, second] = readAll(
      calendar(event('s', 'RRULE:FREQ=DAILY'), event('other')) + calendar(event('s', 'RECURRENCE-ID:20260302T100000Z')),
    );
    expect([first?.object?.jcal[2].length, second?.uid]).toEqual([2, 'other']);
  });

  it('takes the newer of two events that are called alike', () => {
    const [result] = readAll(
      calendar(event('a', 'SEQUENCE:2', 'SUMMARY:new'), event('a', 'SEQUENCE:1', 'SUMMARY:old')),
    );
    expect(result?.warnings).toMatchObject([{ code: 'EVENT_TWICE' }]);
    expect(result?.object && fieldsOf(result.object.jcal).summary).toBe('new');
  });

  it('keeps tasks, journals and what nobody knows, each by its kind', () => {
    const thing = 'BEGIN:X-THING\nX-A:b\nEND:X-THING';
    const results = readAll(calendar(event('a'), 'BEGIN:VTODO\nUID:a\nEND:VTODO', thing));
    expect(results.map(({ object }) => object?.component)).toEqual(['VEVENT', 'VTODO', 'X-THING']);
  });

  it('gives an event without a UID the same one each time, whenever it was written', () => {
    const one = (stamp: string): string =>
      calendar(`BEGIN:VEVENT\nDTSTAMP:${stamp}\nDTSTART:20260301\nSUMMARY:x\nEND:VEVENT`);
    const [first] = readAll(one('20260101T000000Z'));
    const [second] = readAll(one('20260202T000000Z').replaceAll('\r\n', '\n'));
    expect(first?.uid).toMatch(/^[0-9a-f]{32}$/);
    expect(second?.uid).toBe(first?.uid);
    expect(eventOf(readOne(one('20260101T000000Z')))[1]).toContainEqual(['uid', {}, 'text', first?.uid]);
  });

  it('unfolds lines inside of a letter', () => {
    const text = Buffer.from(withLines('SUMMARY:Zoë 🎂 Ärger'));
    for (let at = text.indexOf('SUMMARY') + 8; at < text.indexOf('Ärger') + 7; at += 1) {
      const folded = Buffer.concat([text.subarray(0, at), Buffer.from('\r\n '), text.subarray(at)]);
      expect(fieldsOf(readOne(folded)).summary).toBe('Zoë 🎂 Ärger');
    }
  });

  it('reads windows-1252 where it is not UTF-8, and says so', () => {
    const [result] = readAll(Buffer.from(withLines('SUMMARY:Grüße'), 'latin1'));
    expect(result?.warnings).toMatchObject([{ code: 'TEXT_NOT_UTF8', line: 6 }]);
    expect(result?.object && fieldsOf(result.object.jcal).summary).toBe('Grüße');
  });

  it('reads UTF-16', () => {
    const text = Buffer.from(`\uFEFF${withLines('SUMMARY:Grüße')}`, 'utf16le');
    expect(fieldsOf(readOne(text)).summary).toBe('Grüße');
    expect(fieldsOf(readOne(Buffer.from(text).swap16())).summary).toBe('Grüße');
  });

  it('ends an event where the next one begins, or the file', () => {
    const [first, second] = [event('a'), event('b')].map((one) => one.replace('\nEND:VEVENT', ''));
    const text = `BEGIN:VCALENDAR\n${first}\n${second}`;
    expect(outcomes(text)).toEqual(['a', 'b']);
    const codes = readAll(text).flatMap(({ warnings }) => warnings.map(({ code }) => code));
    expect(codes).toEqual(['COMPONENT_NOT_ENDED', 'COMPONENT_NOT_ENDED']);
  });

  it('drops control characters, which no line may have', () => {
    expect(fieldsOf(readOne(withLines('SUMMARY:a\u0000b\u001B[31mc\td'))).summary).toBe('ab[31mc\td');
  });

  it('takes names of properties that JavaScript knows for what they are', () => {
    const lines = ['CONSTRUCTOR:a', '__PROTO__:b', 'TOSTRING;CONSTRUCTOR=c;__PROTO__=d:e', 'X-A;VALUE=CONSTRUCTOR:f'];
    const { extended } = fieldsOf(readOne(withLines(...lines)));
    expect(extended).toEqual({ CONSTRUCTOR: ['a'], ['__PROTO__']: ['b'], TOSTRING: ['e'], 'X-A': ['f'] });
  });

  it('makes one object after another, as they are asked for', () => {
    const file = readCalendarFile(calendar(...Array.from({ length: 50 }, (_, at) => event(`e${at}`))), zones);
    expect(file.total).toBe(50);
    expect(file.objects().next().value).toMatchObject({ uid: 'e0' });
  });
});

describe('the zone of an event', () => {
  const zone = (tzid: string, offset: string): string =>
    ['BEGIN:VTIMEZONE', `TZID:${tzid}`, 'BEGIN:STANDARD', 'DTSTART:19700101T000000']
      .concat(`TZOFFSETFROM:${offset}`, `TZOFFSETTO:${offset}`, 'END:STANDARD', 'END:VTIMEZONE')
      .join('\n');
  const at = (tzid: string): string => `BEGIN:VEVENT\nUID:z\nDTSTART;TZID=${tzid}:20260115T090000\nEND:VEVENT`;

  it.each([
    ['has the name of a known one, and other offsets', '+0500', 'Europe/Berlin', ['ZONE_DIFFERS'], '08:00'],
    ['has a name of its own', '-0300', 'Office', [], '12:00'],
    ['has a name of its own, and half an hour', '+0530', 'Office', [], '03:30'],
    ['has an offset that no zone has', '+0017', 'Office', ['ZONE_UNKNOWN'], '08:00'],
  ])('%s', (_, offset, tzid, warnings, start) => {
    const [result] = readAll(calendar(zone(tzid, offset), at(tzid)));
    expect(result?.warnings.map(({ code }) => code)).toEqual(warnings);
    expect(result?.object && fieldsOf(result.object.jcal).start).toBe(`2026-01-15T${start}:00.000Z`);
  });

  it('may be described in another calendar of the file', () => {
    const results = readAll(calendar(zone('Office', '-0300')) + calendar(at('Office')));
    expect(results[0]?.object?.jcal[2].map(([name]) => name)).toEqual(['vtimezone', 'vevent']);
  });

  it('floats if nobody knows it', () => {
    const [result] = readAll(calendar(at('Nowhere')));
    expect(result?.warnings).toMatchObject([{ uid: 'z', code: 'ZONE_UNKNOWN' }]);
    expect(result?.object && fieldsOf(result.object.jcal)).toMatchObject({
      floating: true,
      dtstart: '2026-01-15T09:00:00',
    });
  });
});

describe('hostile files', () => {
  it.each([
    ['nothing', ''],
    ['a page', '<!DOCTYPE html>\n<p>Sign in'],
    ['a mebibyte of line feeds', '\n'.repeat(MEBIBYTE)],
    ['one line of a mebibyte', 'x'.repeat(MEBIBYTE)],
    ['folds', 'BEGIN'.concat('\n '.repeat(MEBIBYTE / 4))],
  ])('%s is no calendar', (_, text) => {
    expect(() => readAll(text)).toThrow('The file is no iCalendar file: it has no line BEGIN:VCALENDAR.');
  });

  it('of more than 100,000 components is refused', () => {
    expect(() => readAll('BEGIN:VEVENT\n'.repeat(100_001))).toThrow(
      'The file has more than 100,000 components. Split it.',
    );
  });

  it.each([
    ['empty', '\n'.repeat(20_000)],
    ['folded', 'a:b\n c\n'.repeat(3_000)],
    ['one that is folded at each byte', `a${'\n '.repeat(10_000)}`],
    ['quoted-printable ones that never end', 'a;quoted-printable:x=\n'.repeat(900)],
  ])('of lines that are %s are looked at a few times a byte', (_, text) => {
    const bytes = Buffer.from(text);
    let looks = 0;
    const counting = new Proxy(bytes, {
      get(target, key): unknown {
        looks += 1;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
      },
    });
    for (const { end } of linesOf(counting, 0, bytes.length)) expect(end).toBeLessThanOrEqual(bytes.length);
    expect(looks).toBeGreaterThan(bytes.length / 2);
    expect(looks).toBeLessThan(8 * bytes.length);
  });
});
