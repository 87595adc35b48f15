import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase32, toBase32 } from '../../src/crypto/base32.ts';
import { runs } from '../support/stage.ts';

describe('base 32', () => {
  it('comes back as it was, however a person writes it', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 80 });
    fc.assert(
      fc.property(bytes, (given) => {
        const text = toBase32(given);
        const typed = `${text.toLowerCase().replaceAll(/.{4}/g, '$& -\t')}===`;
        expect([fromBase32(text), fromBase32(typed)]).toEqual([new Uint8Array(given), new Uint8Array(given)]);
      }),
      { numRuns: runs(300) },
    );
  });

  it('may have more in its last group than whole bytes', () => {
    expect(fromBase32('MZ')).toEqual(fromBase32('MY'));
    expect(fromBase32('MZXW6YTBO')).toEqual(fromBase32('MZXW6YTB'));
  });

  it('has no digits that look like letters, nor anything else', () => {
    for (const text of ['MZXW0', 'MZXW1', 'MZXW8', 'MZ=XW', 'MZXW6YTß', 'MZXW6YTſ', 'MZXW6YTB\u0000'])
      expect(() => fromBase32(text)).toThrow(/^is not base 32$/);
    for (const text of ['', '=', ' - ', 'A']) expect(() => fromBase32(text)).toThrow(/^is empty$/);
  });
});
