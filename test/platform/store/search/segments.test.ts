import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { segmentsOf } from '../../../../src/platform/store/search/segments.ts';
import { wordsOf } from '../../../../src/platform/store/search/words.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const words = new Intl.Segmenter('und', { granularity: 'word' });
const whole = (segmenter: Intl.Segmenter, text: string): string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment);

/** What belongs together with what stands before or behind it, and what doesn't. */
const parts = [
  'a',
  ' ',
  '\r',
  '\n',
  '\u0301',
  '\u200d',
  '👩',
  '🏽',
  '👨‍👩‍👧‍👦',
  '🇩',
  '🇩🇪',
  'क',
  '्',
  'ष',
  '가',
  'ᄀ',
  'ᅡ',
  '\ud83d',
  '\udc69',
];

describe('segments', () => {
  it('of a long text are those of the whole, wherever its pieces end', () => {
    const text = fc.array(fc.constantFrom(...parts), { minLength: 200, maxLength: 2_000 });
    fc.assert(
      fc.property(text, (found) => {
        expect([...segmentsOf(graphemes, found.join(''))]).toEqual(whole(graphemes, found.join('')));
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['one character that is longer than many pieces', `a${'\u0301'.repeat(5_000)}`],
    ['families', '👨‍👩‍👧‍👦'.repeat(1_000)],
    ['pairs of letters that are flags', '🇩🇪'.repeat(1_001)],
  ])('of %s', (_, text) => {
    expect([...segmentsOf(graphemes, text)]).toEqual(whole(graphemes, text));
  });

  it('of a text without spaces are whole words of a dictionary, whatever its length', () => {
    const text = 'ภาษาไทยสวยงาม'.repeat(2_000);
    expect([...segmentsOf(words, text)].join('')).toBe(text);
    expect([...new Set(segmentsOf(words, text))]).toEqual(['ภาษา', 'ไทย', 'สวยงาม']);
    expect(wordsOf(text)).toHaveLength(6_000);
  });

  it('are the words of a text of any length', () => {
    expect(wordsOf('東京'.repeat(200_000))).toHaveLength(799_999);
  });
});
