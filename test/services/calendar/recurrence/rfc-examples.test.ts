import { describe, expect, it } from 'vitest';
import { seriesOf, startsOf } from './series-of.ts';

/** Days as `YYYY-MM: d d d`, all at 9:00 unless `@hh:mm` says otherwise. */
function at(...months: string[]): string[] {
  return months.flatMap((text) => {
    const [month = '', days = ''] = text.split(': ');
    return days.split(' ').map((day) => {
      const [date = '', time = '09:00'] = day.split('@');
      return `${month}-${date.padStart(2, '0')}T${time}:00`;
    });
  });
}

const span = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index).join(' ');

/** The examples of RFC 5545 3.8.5.3 in its order, DTSTART in New York, and what they list. Those that go on are looked at as far. */
const examples: readonly (readonly [rule: string, start: string, expected: string[]])[] = [
  ['FREQ=DAILY;COUNT=10', '1997-09-02', at(`1997-09: ${span(2, 11)}`)],
  [
    'FREQ=DAILY;UNTIL=19971224T000000Z',
    '1997-09-02',
    at(`1997-09: ${span(2, 30)}`, `1997-10: ${span(1, 31)}`, `1997-11: ${span(1, 30)}`, `1997-12: ${span(1, 23)}`),
  ],
  [
    'FREQ=DAILY;INTERVAL=2',
    '1997-09-02',
    at(
      '1997-09: 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30',
      '1997-10: 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30',
      '1997-11: 1 3',
    ),
  ],
  ['FREQ=DAILY;INTERVAL=10;COUNT=5', '1997-09-02', at('1997-09: 2 12 22', '1997-10: 2 12')],
  [
    'FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA',
    '1998-01-01',
    at(`1998-01: ${span(1, 31)}`, `1999-01: ${span(1, 31)}`, `2000-01: ${span(1, 31)}`),
  ],
  [
    'FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1',
    '1998-01-01',
    at(`1998-01: ${span(1, 31)}`, `1999-01: ${span(1, 31)}`, `2000-01: ${span(1, 31)}`),
  ],
  ['FREQ=WEEKLY;COUNT=10', '1997-09-02', at('1997-09: 2 9 16 23 30', '1997-10: 7 14 21 28', '1997-11: 4')],
  [
    'FREQ=WEEKLY;UNTIL=19971224T000000Z',
    '1997-09-02',
    at('1997-09: 2 9 16 23 30', '1997-10: 7 14 21 28', '1997-11: 4 11 18 25', '1997-12: 2 9 16 23'),
  ],
  [
    'FREQ=WEEKLY;INTERVAL=2;WKST=SU',
    '1997-09-02',
    at('1997-09: 2 16 30', '1997-10: 14 28', '1997-11: 11 25', '1997-12: 9 23', '1998-01: 6 20', '1998-02: 3 17'),
  ],
  [
    'FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH',
    '1997-09-02',
    at('1997-09: 2 4 9 11 16 18 23 25 30', '1997-10: 2'),
  ],
  ['FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH', '1997-09-02', at('1997-09: 2 4 9 11 16 18 23 25 30', '1997-10: 2')],
  [
    'FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR',
    '1997-09-01',
    at(
      '1997-09: 1 3 5 15 17 19 29',
      '1997-10: 1 3 13 15 17 27 29 31',
      '1997-11: 10 12 14 24 26 28',
      '1997-12: 8 10 12 22',
    ),
  ],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH', '1997-09-02', at('1997-09: 2 4 16 18 30', '1997-10: 2 14 16')],
  [
    'FREQ=MONTHLY;COUNT=10;BYDAY=1FR',
    '1997-09-05',
    at(
      '1997-09: 5',
      '1997-10: 3',
      '1997-11: 7',
      '1997-12: 5',
      '1998-01: 2',
      '1998-02: 6',
      '1998-03: 6',
      '1998-04: 3',
      '1998-05: 1',
      '1998-06: 5',
    ),
  ],
  [
    'FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR',
    '1997-09-05',
    at('1997-09: 5', '1997-10: 3', '1997-11: 7', '1997-12: 5'),
  ],
  [
    'FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU',
    '1997-09-07',
    at('1997-09: 7 28', '1997-11: 2 30', '1998-01: 4 25', '1998-03: 1 29', '1998-05: 3 31'),
  ],
  [
    'FREQ=MONTHLY;COUNT=6;BYDAY=-2MO',
    '1997-09-22',
    at('1997-09: 22', '1997-10: 20', '1997-11: 17', '1997-12: 22', '1998-01: 19', '1998-02: 16'),
  ],
  [
    'FREQ=MONTHLY;BYMONTHDAY=-3',
    '1997-09-28',
    at('1997-09: 28', '1997-10: 29', '1997-11: 28', '1997-12: 29', '1998-01: 29', '1998-02: 26'),
  ],
  [
    'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15',
    '1997-09-02',
    at('1997-09: 2 15', '1997-10: 2 15', '1997-11: 2 15', '1997-12: 2 15', '1998-01: 2 15'),
  ],
  [
    'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1',
    '1997-09-30',
    at('1997-09: 30', '1997-10: 1 31', '1997-11: 1 30', '1997-12: 1 31', '1998-01: 1 31', '1998-02: 1'),
  ],
  [
    'FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15',
    '1997-09-10',
    at(`1997-09: ${span(10, 15)}`, `1999-03: ${span(10, 13)}`),
  ],
  [
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=TU',
    '1997-09-02',
    at('1997-09: 2 9 16 23 30', '1997-11: 4 11 18 25', '1998-01: 6 13 20 27', '1998-03: 3 10 17 24 31'),
  ],
  [
    'FREQ=YEARLY;COUNT=10;BYMONTH=6,7',
    '1997-06-10',
    at(
      '1997-06: 10',
      '1997-07: 10',
      '1998-06: 10',
      '1998-07: 10',
      '1999-06: 10',
      '1999-07: 10',
      '2000-06: 10',
      '2000-07: 10',
      '2001-06: 10',
      '2001-07: 10',
    ),
  ],
  [
    'FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3',
    '1997-03-10',
    at(
      '1997-03: 10',
      '1999-01: 10',
      '1999-02: 10',
      '1999-03: 10',
      '2001-01: 10',
      '2001-02: 10',
      '2001-03: 10',
      '2003-01: 10',
      '2003-02: 10',
      '2003-03: 10',
    ),
  ],
  [
    'FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200',
    '1997-01-01',
    at(
      '1997-01: 1',
      '1997-04: 10',
      '1997-07: 19',
      '2000-01: 1',
      '2000-04: 9',
      '2000-07: 18',
      '2003-01: 1',
      '2003-04: 10',
      '2003-07: 19',
      '2006-01: 1',
    ),
  ],
  ['FREQ=YEARLY;BYDAY=20MO', '1997-05-19', at('1997-05: 19', '1998-05: 18', '1999-05: 17')],
  ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', '1997-05-12', at('1997-05: 12', '1998-05: 11', '1999-05: 17')],
  [
    'FREQ=YEARLY;BYMONTH=3;BYDAY=TH',
    '1997-03-13',
    at('1997-03: 13 20 27', '1998-03: 5 12 19 26', '1999-03: 4 11 18 25'),
  ],
  [
    'FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8',
    '1997-06-05',
    at(
      '1997-06: 5 12 19 26',
      '1997-07: 3 10 17 24 31',
      '1997-08: 7 14 21 28',
      '1998-06: 4 11 18 25',
      '1998-07: 2 9 16 23 30',
      '1998-08: 6 13 20 27',
    ),
  ],
  // DTSTART is excluded by an EXDATE there.
  [
    'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
    '1997-09-02',
    at('1998-02: 13', '1998-03: 13', '1998-11: 13', '1999-08: 13', '2000-10: 13'),
  ],
  [
    'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13',
    '1997-09-13',
    at(
      '1997-09: 13',
      '1997-10: 11',
      '1997-11: 8',
      '1997-12: 13',
      '1998-01: 10',
      '1998-02: 7',
      '1998-03: 7',
      '1998-04: 11',
      '1998-05: 9',
      '1998-06: 13',
    ),
  ],
  [
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '1996-11-05',
    at('1996-11: 5', '2000-11: 7', '2004-11: 2'),
  ],
  ['FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3', '1997-09-04', at('1997-09: 4', '1997-10: 7', '1997-11: 6')],
  [
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
    '1997-09-29',
    at('1997-09: 29', '1997-10: 30', '1997-11: 27', '1997-12: 30', '1998-01: 29', '1998-02: 26', '1998-03: 30'),
  ],
  // Erratum 3883: UNTIL is 21:00 in UTC, 17:00 in New York.
  ['FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z', '1997-09-02', at('1997-09: 2 2@12:00 2@15:00')],
  ['FREQ=MINUTELY;INTERVAL=15;COUNT=6', '1997-09-02', at('1997-09: 2 2@09:15 2@09:30 2@09:45 2@10:00 2@10:15')],
  ['FREQ=MINUTELY;INTERVAL=90;COUNT=4', '1997-09-02', at('1997-09: 2 2@10:30 2@12:00 2@13:30')],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO', '1997-08-05', at('1997-08: 5 10 19 24')],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU', '1997-08-05', at('1997-08: 5 17 19 31')],
  // 3.3.10: January 31 and February 30
  ['FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5', '2007-01-15', at('2007-01: 15 30', '2007-02: 15', '2007-03: 15 30')],
];

describe('the examples of RFC 5545', () => {
  it.each(examples)('%s from %s on', (rule, start, expected) => {
    const exdates = rule.includes('13') && rule.includes('BYDAY=FR') ? [{ at: '1997-09-02T09:00:00' }] : [];
    const ends = /COUNT|UNTIL/.test(rule);
    const limit = ends ? 1000 : expected.length;
    expect(startsOf(seriesOf(`${start}T09:00:00`, rule, { exdates }), { limit })).toEqual(expected);
  });

  it.each([
    'FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40',
    'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16',
  ])('%s: every 20 minutes from 9:00 to 16:40', (rule) => {
    const day = Array.from({ length: 8 }, (_, hour) => [0, 20, 40].map((minute) => [hour + 9, minute])).flat();
    const expected = [2, 3].flatMap((date) =>
      day.map((time) => `1997-09-0${date}T${time.map((part) => String(part).padStart(2, '0')).join(':')}:00`),
    );
    expect(startsOf(seriesOf('1997-09-02T09:00:00', rule), { limit: 48 })).toEqual(expected);
  });

  it('the first hour of 3.3.10: BYMONTH, BYDAY, BYHOUR and BYMINUTE in a year', () => {
    const rule = 'FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYDAY=SU;BYHOUR=8,9;BYMINUTE=30';
    const starts = startsOf(seriesOf('1997-01-05T08:30:00', rule), { to: '2000-01-01' });
    expect(starts).toEqual([
      ...at('1997-01: 5@08:30 5@09:30 12@08:30 12@09:30 19@08:30 19@09:30 26@08:30 26@09:30'),
      ...at('1999-01: 3@08:30 3@09:30 10@08:30 10@09:30 17@08:30 17@09:30 24@08:30 24@09:30 31@08:30 31@09:30'),
    ]);
  });
});
