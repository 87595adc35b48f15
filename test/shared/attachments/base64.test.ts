import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromBase64, toBase64 } from '../../../src/shared/attachments/base64.ts';
import { runs } from '../../support/stage.ts';

function read(text: string): string | undefined {
  try {
    return Buffer.from(fromBase64('content', text)).toString('hex');
  } catch (error) {
    expect(error).toMatchObject({ kind: 'invalid', code: 'VALIDATION_ERROR' });
    return undefined;
  }
}

/** Written out again, it must be what was there. */
function naive(text: string): string | undefined {
  const bare = text.replaceAll(/[\r\n]/g, '').replace(/={1,2}$/, '');
  const bytes = Buffer.from(bare, 'base64');
  return bytes.toString('base64').replace(/={1,2}$/, '') === bare ? bytes.toString('hex') : undefined;
}

it('takes every file as it was written, with line ends and without padding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      const wanted = Buffer.from(bytes).toString('hex');
      expect([text, text.replace(/=+$/, ''), text.replaceAll(/.{5}/g, '$&\r\n')].map(read)).toEqual(
        Array.from({ length: 3 }, () => wanted),
      );
    }),
  );
});

it('takes and refuses what a look at every byte takes and refuses', () => {
  const character = fc.constantFrom('A', 'Q', 'g', 'w', '+', '/', '=', '-', '_', ' ', '\n', '\u0141', 'é', '😀', '%');
  const found = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(character, { maxLength: 9 }), (characters) => {
      const text = characters.join('');
      const wanted = naive(text);
      found[wanted === undefined ? 'refused' : 'taken'] += 1;
      expect(read(text)).toBe(wanted);
    }),
    { numRuns: runs(5_000) },
  );
  expect(Math.min(found.taken, found.refused)).toBeGreaterThan(runs(50));
});

it('is written of the bytes that are meant, not of all the memory behind them', () => {
  const memory = Uint8Array.of(0, 0, 1, 2, 3, 4, 0);
  expect(toBase64(memory.subarray(2, 6))).toBe('AQIDBA==');
  expect(toBase64(new Uint8Array())).toBe('');
});
