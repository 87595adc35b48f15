import { describe, expect, it } from 'vitest';
import { chooseCoding } from '../../src/http/content-coding.ts';

describe('the coding of an answer', () => {
  it.each([
    [null, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['X-GZIP', 'gzip'],
    ['GZIP;Q=0.5', 'gzip'],
    ['deflate, zstd', 'identity'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.000, gzip;q=0', 'identity'],
    ['*', 'br'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['*;q=0', 'identity'],
    ['identity, gzip;q=0.5', 'identity'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, br;q=0', 'identity'],
    ['gzip ; q=1.000 , br ; q = 0.9', 'gzip'],
    ['br;q=2, gzip;q=0.001', 'gzip'],
    ['br;q=', 'identity'],
    ['br;q=0, br;q=1', 'identity'],
    [',,;q=1,', 'identity'],
  ])('for Accept-Encoding %s is %s', (accepted, coding) => {
    expect(chooseCoding(accepted)).toBe(coding);
  });
});
