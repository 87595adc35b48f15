import { describe, expect, it } from 'vitest';
import { plainNumber, wholeNumber } from '../../src/base/whole-number.ts';

describe('a number in a text', () => {
  it.each([
    ['0', 0],
    ['7', 7],
    ['007', 7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('is whole: %s', (text, value) => {
    expect(wholeNumber(text)).toBe(value);
  });

  it.each([
    '',
    ' ',
    ' 7',
    '7 ',
    '7\n',
    '+7',
    '-7',
    '7.0',
    '7e1',
    '0x7',
    '0b1',
    '1_000',
    '1,000',
    'Infinity',
    'NaN',
    '٧',
    '７',
    '9007199254740992',
    '9'.repeat(400),
    null,
    undefined,
  ])('is none: %j', (text) => {
    expect(wholeNumber(text)).toBeUndefined();
  });

  it('is at most what it may be', () => {
    expect([wholeNumber('65535', 65_535), wholeNumber('65536', 65_535)]).toEqual([65_535, undefined]);
  });

  it('may have a sign and decimals where people type it', () => {
    expect(['-1.5', '2', '0.25', '-0'].map(plainNumber)).toEqual([-1.5, 2, 0.25, -0]);
    for (const text of ['', ' 1', '1.', '.5', '1e3', '0x10', '--1', '1.5.2', 'Infinity'])
      expect(plainNumber(text)).toBeUndefined();
  });
});
