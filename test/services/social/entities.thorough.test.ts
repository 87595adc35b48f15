import { describe, expect, it } from 'vitest';
import { entitiesOf, hashtagKey, type Entity } from '../../../src/services/social/posts/entities.ts';
import suite from '../../vectors/twitter-text.json' with { type: 'json' };
import { inStage } from '../../support/stage.ts';

type Row = [string, string, string[] | [string, number, number][]];
const kinds = { mentions: 'mention', urls: 'url', hashtags: 'hashtag' } as const;

function found(kind: Entity['kind'], text: string): string[] {
  return entitiesOf(text)
    .filter((entity) => entity.kind === kind)
    .map((entity) => entity.text);
}

describe.each(Object.entries(kinds))('%s of the conformance suite', (section, kind) => {
  it.each(suite[section as keyof typeof kinds] as Row[])('%s: %s', (_, text, expected) => {
    expect(found(kind, text)).toEqual(expected);
  });

  it.each(suite[`${section as keyof typeof kinds}_with_indices`] as Row[])('%s: %s', (_, text, expected) => {
    const spans = entitiesOf(text).filter((entity) => entity.kind === kind);
    expect(spans.map((entity) => [entity.text, entity.start, entity.end])).toEqual(expected);
  });
});

describe('what differs from the suite', () => {
  it.each([
    ['@ab @abc', ['abc']],
    [`@${'a'.repeat(30)} @${'b'.repeat(31)}`, ['a'.repeat(30)]],
    ['@mary-jane and @alice- and @bob--', ['mary-jane', 'alice', 'bob']],
    ['josé@example.com jose\u0301@example.com', []],
    ['о@alice 😀@robert', ['alice', 'robert']],
  ])('finds the usernames of %s', (text, expected) => {
    expect(found('mention', text)).toEqual(expected);
  });

  it.each([
    ['http://example.dev/a https://example.museum', ['http://example.dev/a', 'https://example.museum']],
    ['example.dev index.test.js readme.txt/a', []],
    ['foo.com.bar@example.org', []],
    ['http://foo.com@evil.org/', []],
    ['javascript:alert(1) javascript://example.com/%0aalert(1) data:text/html,x ftp://example.com/', []],
    ['http://foobar.みんなa http://a.com\u202ebad.org', ['http://a.com', 'bad.org']],
    ['ELPAI\u0301S.com', ['ELPAI\u0301S.com']],
    ['http://\u200bexample.com/', ['example.com/']],
    [`http://${'a'.repeat(64)}.com http://${'a.'.repeat(130)}com`, []],
  ])('finds the links of %s', (text, expected) => {
    expect(found('url', text)).toEqual(expected);
  });

  it.each([
    [`#${'a'.repeat(100)} #${'b'.repeat(101)}`, ['a'.repeat(100)]],
    [`#${'ß'.repeat(50)} #${'ß'.repeat(51)}`, ['ß'.repeat(50)]],
    [`#a${'\u0301\u0323'.repeat(50_000)}`, []],
    ['#\u3164 #\u{e0101} #\u115f\u0301', []],
    ['#️⃣ #\ufe0fa #a#b &#x3c; a#b', []],
    ['😀#tag\u2764\ufe0f#heart', ['tag', 'heart']],
  ])('finds the hashtags of %s', (text, expected) => {
    expect(found('hashtag', text)).toEqual(expected);
  });

  it('lets the one count that starts first', () => {
    expect(
      entitiesOf('#日本example.com http://a.com/#tag/@alice @alice.com').map(({ kind, text }) => [kind, text]),
    ).toEqual([
      ['hashtag', '日本example'],
      ['url', 'http://a.com/#tag/@alice'],
      ['mention', 'alice'],
    ]);
  });
});

describe('hashtagKey', () => {
  it.each([
    ['case', 'Straße', 'STRASSE', 'strasse', 'STRAẞE'],
    ['the letters i of Turkish', 'İstanbul', 'istanbul', 'ıstanbul', 'ISTANBUL', 'i\u0307stanbul'],
    ['the two small sigmas of Greek', 'ΟΔΟΣ', 'οδος', 'οδοσ'],
    ['full width', 'ｈａｓｈｔａｇ１', 'HashTag1'],
    ['half width', 'ｻｯｶｰ', 'サッカー'],
    ['composition', 'café', 'cafe\u0301', 'CAFÉ'],
    ['order of marks', 'q\u0323\u0307', 'q\u0307\u0323'],
    ['what cannot be seen', 'می\u200cخواهم', 'میخواهم'],
  ])('is equal without regard to %s', (_, ...tags) => {
    expect(new Set(tags.map((tag) => hashtagKey(tag))).size).toBe(1);
  });

  it.each([
    ['cafe', 'café'],
    ['a', 'а'], // the second is Cyrillic
    ['o', '0'],
    ['a_b', 'ab'],
  ])('keeps %s and %s apart', (one, other) => {
    expect(hashtagKey(one)).not.toBe(hashtagKey(other));
  });

  it('is the key of itself', () => {
    const changed: string[] = [];
    for (let codePoint = 0; codePoint < 0x2_0000; codePoint += inStage(7, 7, 1)) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
      const key = hashtagKey(`i${String.fromCodePoint(codePoint)}`);
      if (hashtagKey(key) !== key) changed.push(codePoint.toString(16));
    }
    expect(changed).toEqual([]);
  });
});

describe('hostile text', () => {
  // Whatever is quadratic takes longer with texts of this size than a test may.
  const size = 125_000;
  const prefixes = ['', '#a', '@a', 'http://a', 'http://a.co/', 'http://a.co/(', 'http://a.co/?', 'http://a.co/((a'];
  it.each([
    '#',
    '@',
    '#a',
    '@a',
    '@-',
    '@alice ',
    '#ß',
    'rt@',
    '.',
    'a.',
    'a-',
    'a.com.',
    'http://',
    'http://a.',
    'http://a.日',
    'http://a.co/',
    'http://a.co/(a',
    'http://a.co/?',
    '日',
    '\u200d',
    '👩\u200d',
    '\u0301',
    '\u202e',
    'http://a-',
    '<',
    '\u0301\u0323',
  ])('%j many times over is read in linear time', (part) => {
    for (const [at, prefix] of prefixes.entries()) {
      // Before the last stage each with two of them.
      if ((at + part.length) % inStage(4, 4, 1) !== 0) continue;
      const text = prefix + part.repeat(size / part.length);
      const spans = entitiesOf(text);
      const wrong = spans.filter(
        ({ start, end }, index) => start < (spans[index - 1]?.end ?? 0) || end <= start || end > text.length,
      );
      expect(wrong).toEqual([]);
    }
  });

  it('of lone surrogates does no harm', () => {
    expect(entitiesOf('\ud800#a\udc00 @alice\ud800 http://a.com/\udc00').map((entity) => entity.text)).toEqual([
      'a',
      'alice',
      'http://a.com/',
    ]);
  });
});
