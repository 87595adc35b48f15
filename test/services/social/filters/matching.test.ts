import { expect, it } from 'vitest';
import { matcherOf } from '../../../../src/services/social/filters/matching.ts';

const whole = (phrase: string) => matcherOf([{ phrase, wholeWord: true }]);
const part = (phrase: string) => matcherOf([{ phrase, wholeWord: false }]);

it('ignores case, width and invisible characters in every script', () => {
  for (const [phrase, text] of [
    ['tea', 'A cup of TEA.'],
    ['straße', 'STRASSE 5'],
    ['STRASSE', 'straße'],
    ['ẞ', 'ss'],
    ['ΣΟΦΟΣ', 'ο σοφος'],
    ['москва', 'МОСКВА'],
    ['İstanbul', 'istanbul'],
    ['ﬁn', 'FIN'],
    ['ｔｅａ', 'tea'],
    ['tea', 't\u200be\u00ada'],
    ['green  tea', 'Green\n tea'],
    ['ᲐᲑᲒ', 'აბგ'],
  ] as const)
    expect([phrase, text, whole(phrase)(text)]).toEqual([phrase, text, [0]]);
});

it('finds whole words, also beside scripts without spaces and signs', () => {
  expect(whole('tea')('steam team teas')).toEqual([]);
  expect(part('tea')('steam')).toEqual([0]);
  expect(whole('tea')('#tea, (tea)')).toEqual([0]);
  expect(whole('お茶')('緑のお茶を飲む')).toEqual([0]);
  expect(whole('ชา')('ดื่มชาเขียว')).toEqual([0]);
  expect(whole(':-)')('so :-)')).toEqual([0]);
  expect(whole('é')('cafe\u0301')).toEqual([]);
  expect(whole('a𐐀')('xa𐐨')).toEqual([]);
  expect(whole('a𐐀')('a𐐨')).toEqual([0]);
});

it('finds phrases within and behind others, like a search for each', () => {
  const phrases = ['he', 'she', 'his', 'hers', 'e', 's h', ''];
  const match = matcherOf(phrases.map((phrase) => ({ phrase, wholeWord: false })));
  expect(match('ushers')).toEqual([0, 1, 3, 4]);
  let seed = 7;
  const next = (most: number) => (seed = (seed * 48271) % 2147483647) % most;
  const word = (most: number) => Array.from({ length: 1 + next(most) }, () => 'ab'[next(2)]).join('');
  for (let round = 0; round < 300; round += 1) {
    const some = Array.from({ length: 1 + next(8) }, () => word(5));
    const text = word(40);
    const wanted = some.flatMap((phrase, index) => (text.includes(phrase) ? [index] : []));
    expect(matcherOf(some.map((phrase) => ({ phrase, wholeWord: false })))(text)).toEqual(wanted);
  }
});
