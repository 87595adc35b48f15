import { describe, expect, it } from 'vitest';
import { dateFrom } from '../../../src/services/mail/message/message-date.ts';

const iso = (text: string): string | undefined => {
  const date = dateFrom(text);
  return date === undefined ? undefined : new Date(date).toISOString().replace('.000Z', 'Z');
};

describe('the date of a message', () => {
  it.each([
    // RFC 5322, and its obsolete forms (4.3)
    ['Sun, 06 Nov 1994 08:49:37 +0100', '1994-11-06T07:49:37Z'],
    ['6 Nov 1994 08:49', '1994-11-06T08:49:00Z'],
    ['6 Nov 94 08:49 EST', '1994-11-06T13:49:00Z'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37Z'],
    ['Sun, 6 Nov 2022 08:49:37 -0500 (EST (of New York))', '2022-11-06T13:49:37Z'],
    ['Sun , 6 Nov 049 08 : 49 : 37 PDT', '1949-11-06T15:49:37Z'],
    // as programs write them
    ['Sun, 6 Nov 1994 08:49:37 +0100 (CET', '1994-11-06T07:49:37Z'],
    ['Sun, 6 Nov 1994 08:49:37 +0100 CET', '1994-11-06T07:49:37Z'],
    ['Sun, 6 Nov 1994 08:49:37 +01:00', '1994-11-06T07:49:37Z'],
    ['Sun, 6 Nov 1994 08:49:37 -500', '1994-11-06T13:49:37Z'],
    ['Sun, 6 Nov 1994 08:49:37 GMT+0100', '1994-11-06T07:49:37Z'],
    ['Sun, 6 Nov 1994 08:49:37 "GMT"', '1994-11-06T08:49:37Z'],
    ['Sun, 6 Nov 1994, 08:49:37.25 UT', '1994-11-06T08:49:37Z'],
    // asctime, date(1), git, JavaScript
    ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37Z'],
    ['Sun Nov 6 08:49 1994', '1994-11-06T08:49:00Z'],
    ['Sun Nov  6 08:49:37 MST 1994', '1994-11-06T15:49:37Z'],
    ['Sun Nov  6 08:49:37 +0100 1994', '1994-11-06T07:49:37Z'],
    ['Sun Nov 6 08:49:37 1994 +0100', '1994-11-06T07:49:37Z'],
    ['Sun Nov 06 1994 08:49:37 GMT+0100 (Central European Standard Time)', '1994-11-06T07:49:37Z'],
    ['November 6, 1994 08:49:37', '1994-11-06T08:49:37Z'],
    // ISO 8601
    ['1994-11-06T08:49:37Z', '1994-11-06T08:49:37Z'],
    ['1994-11-06T08:49:37.123+01:00', '1994-11-06T07:49:37Z'],
    ['1994-11-06T08:49+01', '1994-11-06T07:49:00Z'],
    ['1994-11-06 08:49:37 -0500 (EST)', '1994-11-06T13:49:37Z'],
    ['1994-11-06 08:49:37', '1994-11-06T08:49:37Z'],
  ])('is read in %s', (text, date) => {
    expect(iso(text)).toBe(date);
  });

  it.each([
    '',
    'yesterday',
    'Sun, 31 Nov 1994 08:49:37 +0000',
    'Sun Nov 31 08:49:37 1994',
    '1994-13-06T08:49:37Z',
    '1994-00-06T08:49:37Z',
    '1994-11-00T08:49:37Z',
    '1994-11-06T24:49:37Z',
    '6 Nov 1994',
    '06/11/1994 08:49:37',
    'Sun, 6 Foo 1994 08:49:37 +0000',
    'Sun, 6 Nov 0094 08:49:37 +0000',
    'Sun Nov 6 08:49:37',
    `6 Nov 1994 08:49${' '.repeat(500)}`,
  ])('is none in %s', (text) => {
    expect(iso(text)).toBeUndefined();
  });
});
