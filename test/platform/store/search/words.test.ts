import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../../src/platform/store/search/query.ts';
import { fold, soughtWords, wordsOf } from '../../../../src/platform/store/search/words.ts';

describe('words', () => {
  it.each([
    ['Hello, WORLD!', ['hello', 'world']],
    ['Ärger über die Straße, STRAẞE', ['arger', 'uber', 'die', 'strasse', 'strasse']],
    ['CAFÉ cafe\u0301 café', ['cafe', 'cafe', 'cafe']],
    ['İstanbul ISTANBUL ıstanbul', ['istanbul', 'istanbul', 'istanbul']],
    ['Ὀδυσσεύς ΟΔΥΣΣΕΥΣ', ['οδυσσευσ', 'οδυσσευσ']],
    ['Ёлка, Київ', ['елка', 'киів']],
    ['Łódź Ørsted Ærø þing', ['lodz', 'orsted', 'aero', 'thing']],
    ['ﬁne ｆｕｌｌ ①②', ['fine', 'full', '12']],
    ['im\u00adport می\u200cخواهم', ['import', 'میخواهم']],
    ['שָׁלוֹם مُحَمَّد', ['שלום', 'محمد']],
    // The vowels of these scripts are marks too, and stay.
    ['हिन्दी தமிழ்', ['हिन्दी', 'தமிழ்']],
    ['한국어 하나', ['한국어', '하나']],
    ["l'été don't", ['l', 'ete', 'don', 't']],
    ['ann+x@example.org #ein_tag 3.14', ['ann', 'x', 'example', 'org', 'ein', 'tag', '3', '14']],
    ['a\0b \ud800 c\udc00d % _ * " \\', ['a', 'b', 'c', 'd']],
    ['', []],
    ['!?… 🎉 \u0301', []],
  ])('of %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
    expect(soughtWords(text)).toEqual(words);
  });

  it('of Chinese and Japanese are characters and pairs of them; half-width kana are kana', () => {
    expect(wordsOf('東京都 v2')).toEqual(['東', '京', '都', '東京', '京都', 'v2']);
    expect(soughtWords('東京都')).toEqual(['東京', '京都']);
    expect(soughtWords('京')).toEqual(['京']);
    expect(wordsOf('ｶﾞｲﾄﾞ')).toEqual(wordsOf('ガイド'));
    expect(soughtWords('windowsで')).toEqual(['windows', 'で']);
    expect(soughtWords('𠮷野家')).toEqual(['𠮷野', '野家']);
  });

  it('of Thai and Khmer come from their dictionaries', () => {
    expect(wordsOf('ภาษาไทย')).toEqual(['ภาษา', 'ไทย']);
    expect(wordsOf('ខ្ញុំស្រឡាញ់អ្នក').length).toBeGreaterThan(1);
  });

  it('that are very long are cut, and never through a character', () => {
    expect(wordsOf('x'.repeat(1000))).toEqual(['x'.repeat(64)]);
    // Pairs of surrogates; one that begins at the last place goes.
    expect(wordsOf(`x${'𐐨'.repeat(40)}`)).toEqual([`x${'𐐨'.repeat(31)}`]);
  });

  it('are well formed, without what the index parts words by, and the same when folded again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), (text) => {
        for (const word of wordsOf(text)) {
          expect(Buffer.from(word).toString()).toBe(word);
          expect(word).toMatch(/^[\p{L}\p{N}\p{M}]{1,64}$/u);
          expect(fold(word)).toBe(word);
        }
      }),
    );
  });

  it('sought are among those of every text that has them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (before, text) => {
        const found = new Set(wordsOf(`${before} ${text}`));
        expect(soughtWords(text).filter((word) => !found.has(word))).toEqual([]);
      }),
    );
  });
});

describe('the text of a search', () => {
  const refusal = (text: string): unknown => {
    try {
      return parseQuery({ name: 'space' }, { text })?.whole.length;
    } catch (error) {
      return error;
    }
  };
  const words = (count: number): string => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');

  it('has up to 500 characters', () => {
    expect(refusal('x'.repeat(500))).toBe(0);
    expect(refusal('x'.repeat(501))).toMatchObject({
      code: 'QUERY_TOO_LONG',
      message: 'The search takes at most 500 characters. Leave some of them out.',
    });
  });

  it('has up to 32 words', () => {
    // The last one may be a beginning.
    expect(refusal(words(32))).toBe(31);
    expect(refusal(words(33))).toMatchObject({
      code: 'QUERY_TOO_LONG',
      message: 'The search takes at most 32 words. Leave some of them out.',
    });
  });
});
