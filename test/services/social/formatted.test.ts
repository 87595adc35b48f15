import { describe, expect, it } from 'vitest';
import { entitiesOf } from '../../../src/services/social/posts/entities.ts';
import { formatted } from '../../../src/services/social/posts/formatted.ts';
import { graphemesOf } from '../../../src/services/social/posts/length.ts';

const members = new Map([['alice', '0123456789abcdef01234567']]);

function html(content: string): string {
  return formatted(content, entitiesOf(content), (username) => members.get(username));
}

const link = (address: string, text: string): string =>
  `<a href="${address}" rel="nofollow noopener noreferrer ugc">${text}</a>`;

describe('formatted', () => {
  it.each([
    ['Hi @alice and @robert', 'Hi <a href="/social/users/0123456789abcdef01234567">@alice</a> and @robert'],
    ['a #Café.', 'a <a href="/social/hashtag/caf%C3%A9">#Café</a>.'],
    ['＃ＴＡＧ', '<a href="/social/hashtag/tag">＃ＴＡＧ</a>'],
    ['see example.com/a', `see ${link('http://example.com/a', 'example.com/a')}`],
    [
      'HTTPS://Example.com/?a=1&b="x',
      `${link('https://example.com/?a=1&amp;b=', 'HTTPS://Example.com/?a=1&amp;b=')}&quot;x`,
    ],
    ["http://a.com/it's", link('http://a.com/it&#39;s', 'http://a.com/it&#39;s')],
    ['one\ntwo\r\nthree\rfour\u2028five', 'one<br>two<br>three<br>four<br>five'],
    ['', ''],
  ])('makes %j a text with links', (content, expected) => {
    expect(html(content)).toBe(expected);
  });

  it.each([
    ['#<img src=x onerror=alert(1)>', '#&lt;img src=x onerror=alert(1)&gt;'],
    ['#a"><script>', '<a href="/social/hashtag/a">#a</a>&quot;&gt;&lt;script&gt;'],
    ['@x"><svg onload=alert(1)>', '@x&quot;&gt;&lt;svg onload=alert(1)&gt;'],
    ['javascript:alert(1)', 'javascript:alert(1)'],
    ['&lt;b&gt; &#60;', '&amp;lt;b&amp;gt; &amp;#60;'],
    ['a\u202egpj.exe\u202c\u2066b\u2069 \u200fc', 'agpj.exeb \u200fc'],
    [
      'http://example.com/"onmouseover="x',
      `${link('http://example.com/', 'http://example.com/')}&quot;onmouseover=&quot;x`,
    ],
    ['http://аррle.com', link('http://xn--le-6kc8da.com/', 'http://аррle.com')], // the first three letters are Cyrillic
    ['http://xn--a.com/', 'http://xn--a.com/'], // not a host by the URL standard
  ])('makes %j harmless', (content, expected) => {
    expect(html(content)).toBe(expected);
  });

  it('has no other markup than its own, whatever the parts', () => {
    const parts = [
      '#',
      '@',
      '<',
      '>',
      '"',
      "'",
      '&',
      'http://',
      'a.com',
      '/',
      '?',
      '(',
      ')',
      'alice',
      ' ',
      '\n',
      '\u202e',
      'javascript:',
      '=',
      'é',
    ];
    const own =
      /<br>|<a href="(?:\/social\/(?:hashtag|users)\/[\w%.~!*-]+|https?:\/\/[^"'<>\s]+)"(?: rel="[a-z ]+")?>[^<>"']*<\/a>/g;
    for (let seed = 1; seed < 20_000; seed += 1) {
      let content = '';
      for (let rest = seed * 7919; rest > 0; rest = Math.floor(rest / parts.length))
        content += parts[rest % parts.length];
      expect(html(content).replaceAll(own, '')).not.toMatch(/[<>"']/);
    }
  });

  it('encodes the id of a member', () => {
    expect(formatted('@alice', entitiesOf('@alice'), () => '"><\'/')).toBe(
      '<a href="/social/users/%22%3E%3C&#39;%2F">@alice</a>',
    );
  });
});

describe('graphemesOf', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['\r\n', 1],
    ['e\u0301', 1],
    ['👨‍👩‍👧‍👦', 1],
    ['🇩🇪🇫🇷', 2],
    ['👍🏽', 1],
    ['각', 1],
    ['1️⃣', 1],
    ['நி', 1],
    ['क्षि', 1],
    ['日本', 2],
  ])('counts %j as %i', (content, count) => {
    expect(graphemesOf(content, 280)).toBe(count);
  });

  it('stops one past the most', () => {
    expect(graphemesOf('a'.repeat(280), 280)).toBe(280);
    expect(graphemesOf('a'.repeat(281), 280)).toBe(281);
    expect(graphemesOf('a'.repeat(4000), 280)).toBe(281);
  });

  it('takes no more than sixteen bytes a grapheme on the average, and does not read longer texts', () => {
    const flood = (bytes: number): string => `aa${'\u0301'.repeat(bytes / 2 - 1)}`;
    expect(graphemesOf(flood(280 * 16), 280)).toBe(2);
    expect(graphemesOf(flood(280 * 16 + 2), 280)).toBe(281);
    expect(graphemesOf('👩\u200d'.repeat(10_000_000), 280)).toBe(281);
  });
});
