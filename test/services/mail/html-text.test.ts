import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlToText } from '../../../src/services/mail/message/html-text.ts';
import { runs } from '../../support/stage.ts';

describe('HTML as text', () => {
  it('shows text, links and images', () => {
    expect(htmlToText('<p>Hello <b>you</b> &amp; me</p><script>x</script><style>y</style><p>Bye</p>')).toBe(
      'Hello you & me\n\nBye',
    );
    expect(htmlToText('<a href="https://x.example/?a=1&amp;b">here</a>')).toBe('here [https://x.example/?a=1&b]');
    expect(htmlToText('<a href="https://x.example">https://x.example</a>')).toBe('https://x.example');
    expect(
      htmlToText('<a href="mailto:a@b.example">a@b.example</a> <a href="javascript:x()">y</a> <a href="#z">z</a>'),
    ).toBe('a@b.example y z');
    expect(htmlToText('<img src="https://x.example/a.png" alt="A cat"><img src="https://x.example/b.png">!')).toBe(
      '[A cat]!',
    );
    expect(htmlToText('<h1>Title</h1><ul><li>a<li>b</ul>')).toBe('Title\n\n * a\n * b');
    expect(htmlToText('')).toBe('');
  });

  it('has marks for fifty quotes in each other, and not for more', () => {
    expect(htmlToText(`${'<blockquote>'.repeat(2)}a<br>b</blockquote><p>c`)).toBe('> > a\n> > b\n> \n> c');
    expect(htmlToText(`${'<blockquote>'.repeat(400)}a<br>b`)).toBe(`${'> '.repeat(50)}a\n${'> '.repeat(50)}b`);
  });

  it('ends where a hundred lists are in each other', () => {
    expect(htmlToText(`a${'<ul><li>b'.repeat(400)}`).match(/b/g)).toHaveLength(100);
    expect(htmlToText('<ul><li>b</ul>'.repeat(400)).match(/b/g)).toHaveLength(400);
  });

  it('has no escapes for terminals', () => {
    expect(
      htmlToText('\u001b[31mred &#27;[2J &#x1b;c &#7;\u009b2J&#x9b;<a href="https://x.example/\u001b[1m">x</a>'),
    ).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  const size = 100_000;
  it.each([
    '<div>',
    '<b>',
    '<b></p>',
    '<table><tr><td>',
    '<blockquote>',
    '<ul><li>',
    '<svg>',
    '<',
    '<a ',
    '<!--',
    '&',
    '</p>',
    '<a href="',
  ])('survives %s a hundred thousand times', (text) => {
    const shown = htmlToText(`Hello ${text.repeat(size)}`);
    expect(shown).toMatch(/^Hello/);
    expect(shown.length).toBeLessThanOrEqual(256 * 1024);
  });

  it('is text of whatever comes', () => {
    const tag = fc.constantFrom(
      '<p>',
      '</p>',
      '<a href="',
      '">',
      '<b',
      '<!--',
      '-->',
      '<script>',
      '&#',
      ';',
      '<td>',
      '\u001b[',
      '\u009b',
      '<![CDATA[',
      '</',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(tag, fc.string(), fc.string({ unit: 'binary' }))), (parts) => {
        expect(htmlToText(parts.join(''))).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cs}]/u);
      }),
      { numRuns: runs(300) },
    );
  });
});
