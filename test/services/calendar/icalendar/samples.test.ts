import { describe, expect, it } from 'vitest';
import { readCalendarFile } from '../../../../src/services/calendar/icalendar/read/read.ts';
import { objectText } from '../../../../src/services/calendar/icalendar/write.ts';
import { clients } from './samples/clients.ts';
import { others } from './samples/others.ts';
import { crlf, fieldsOf, readAll, readOne, zones } from './support.ts';

/** The lines of the events of a file, without what may be written or not: quotes and types. */
function linesOf(file: string): string[] {
  const events = /BEGIN:VEVENT.*END:VEVENT/is.exec(file.replaceAll(/\r\n[ \t]/g, ''))?.[0] ?? '';
  return events.replaceAll(/"|;VALUE=[A-Z-]+/g, '').split('\r\n');
}

describe.each([...clients, ...others])('a file of $name', ({ text, fields, warnings = [] }) => {
  it('is read', () => {
    const [result, ...more] = readAll(crlf(text));
    expect(more).toEqual([]);
    expect(result?.errors).toEqual([]);
    expect(result?.warnings.map(({ code }) => code).filter((code) => code !== 'COMPONENT_NOT_ENDED')).toEqual(warnings);
    expect(fieldsOf(readOne(crlf(text)))).toMatchObject(fields);
  });

  it('comes out as it went in', () => {
    const object = readOne(crlf(text));
    const written = objectText(object, zones);
    expect(fieldsOf(readOne(written))).toEqual(fieldsOf(object));
    const missing = linesOf(crlf(text)).filter((line) => !linesOf(written).includes(line));
    // Lines in an old encoding are written in the one of today, and what is no line is left out.
    expect(missing.filter((line) => !/^[a-z ]|QUOTED-PRINTABLE/.test(line))).toEqual([]);
    expect(objectText(readOne(written), zones)).toBe(written);
  });

  it.each([
    ['LF', '\n'],
    ['CR', '\r'],
  ])('is read with %s at the ends of its lines', (_, end) => {
    expect(fieldsOf(readOne(`\uFEFF${text.replaceAll('\n', end)}`))).toMatchObject(fields);
  });
});

describe('what a calendar says of itself', () => {
  it('is given beside its events', () => {
    const google = clients.find(({ name }) => name === 'Google Calendar');
    const { calendars, total } = readCalendarFile(google?.text ?? '', zones);
    expect(total).toBe(1);
    expect(calendars).toMatchObject([{ name: 'jane@example.com', timezone: 'Europe/Berlin', method: 'PUBLISH' }]);
  });
});
