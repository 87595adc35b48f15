import { expect, it } from 'vitest';
import { parsedUrl } from '../../src/base/parsed-url.ts';

it('a URL with letters beyond ASCII is one, however often URLs were read before', () => {
  const hosts = new Set<string | undefined>();
  for (let turn = 0; turn < 30_000; turn += 1) {
    parsedUrl(`https://example.com/${turn}`);
    hosts.add(parsedUrl('https://bücher.example')?.host);
  }
  expect([...hosts]).toEqual(['xn--bcher-kva.example']);
});

it.each(['', 'example.com', 'https://', 'https://a b', '/path', 'https://example.com:99999'])('%j is none', (text) => {
  expect(parsedUrl(text)).toBeUndefined();
});
