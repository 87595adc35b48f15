import { describe, expect, it } from 'vitest';
import type { UrlMatch } from '../../../src/contract/passvault/entry.ts';
import { bestFit, fitOf, webUrl } from '../../../src/services/passvault/entries/url-match.ts';

const matches = (uri: string, page: string, match: UrlMatch = 'domain') => {
  const url = webUrl(page);
  return url !== undefined && fitOf({ uri, match }, url) > 0;
};

describe('an address by domain', () => {
  it.each([
    ['https://example.com', 'https://example.com/login'],
    ['https://example.com', 'https://www.example.com'],
    ['https://accounts.example.com', 'https://mail.example.com'],
    ['example.com', 'https://login.example.com'],
    ['http://example.com', 'https://example.com'],
    ['http://example.com', 'http://example.com'],
    ['https://shop.example.co.uk', 'https://www.example.co.uk'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://EXAMPLE.com.', 'https://example.com'],
    ['https://me.github.io', 'https://me.github.io/page'],
    ['https://192.168.1.1', 'https://192.168.1.1/admin'],
    ['http://localhost:3000', 'http://localhost:3000/x'],
    ['http://nas', 'http://nas/'],
    ['https://[2001:db8::1]:8443', 'https://[2001:db8:0::1]:8443/x'],
    ['https://example.com:8443', 'https://example.com:8443'],
    ['https://example.com:8443', 'https://sub.example.com:8443'],
    ['https://example.com', 'https://example.com:8443'],
    ['https://user:word@example.com', 'https://example.com'],
  ])('%s is for %s', (uri, page) => {
    expect(matches(uri, page)).toBe(true);
  });

  it.each([
    ['https://example.com', 'https://evil-example.com'],
    ['https://example.com', 'https://example.com.evil.org'],
    ['https://example.com', 'https://example.org'],
    ['https://example.com', 'http://example.com'],
    ['example.com', 'http://example.com'],
    ['https://victim.github.io', 'https://attacker.github.io'],
    ['https://github.io', 'https://attacker.github.io'],
    ['https://a.co.uk', 'https://b.co.uk'],
    ['https://co.uk', 'https://b.co.uk'],
    ['https://192.168.1.1', 'https://192.168.1.2'],
    ['https://192.168.1.1', 'https://1.1'],
    ['https://192.168.1.1:8443', 'https://192.168.1.1'],
    ['http://localhost:3000', 'http://localhost:4000'],
    ['https://example.com:8443', 'https://example.com'],
    ['https://example.com:8443', 'https://sub.example.com'],
    ['https://example.com', 'https://example.com@evil.org'],
    ['androidapp://com.example', 'https://example.com'],
    ['javascript://example.com', 'https://example.com'],
    ['', 'https://example.com'],
    ['not an address', 'https://example.com'],
  ])('%s is not for %s', (uri, page) => {
    expect(matches(uri, page)).toBe(false);
  });
});

describe('other modes', () => {
  it.each<[UrlMatch, string, string, boolean]>([
    ['host', 'https://mail.example.com', 'https://mail.example.com/x', true],
    ['host', 'https://mail.example.com', 'https://example.com', false],
    ['host', 'https://example.com', 'https://example.com:8443', false],
    ['host', 'https://example.com', 'http://example.com', false],
    ['startsWith', 'https://example.com/app', 'https://example.com/app/login?x=1', true],
    ['startsWith', 'https://example.com/app', 'https://example.com/other', false],
    ['startsWith', 'https://example.com', 'https://example.com.evil.org/', false],
    ['startsWith', 'https://example.com', 'https://example.com:8443/', false],
    ['exact', 'https://example.com/login', 'https://example.com/login', true],
    ['exact', 'https://example.com/login', 'https://example.com/login?x', false],
    ['exact', 'https://example.com', 'https://example.com/', true],
    ['never', 'https://example.com', 'https://example.com', false],
  ])('%s: %s for %s is %s', (mode, uri, page, expected) => {
    expect(matches(uri, page, mode)).toBe(expected);
  });
});

describe('several addresses', () => {
  const page = webUrl('https://login.example.com/in')!;
  it('count by the one that fits best; `never` takes itself out alone', () => {
    const fit = (...addresses: [string, UrlMatch][]) =>
      bestFit(
        addresses.map(([uri, match]) => ({ uri, match })),
        page,
      );
    expect(fit(['https://login.example.com/in', 'never'])).toBe(0);
    expect(fit(['https://login.example.com/in', 'never'], ['https://example.com', 'domain'])).toBeGreaterThan(0);
    const order = [
      fit(),
      fit(['https://example.com', 'domain']),
      fit(['https://login.example.com', 'domain']),
      fit(['https://login.example.com', 'host']),
      fit(['https://login.example.com/', 'startsWith']),
      fit(['https://login.example.com/in', 'exact'], ['https://example.com', 'domain']),
    ];
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(new Set(order).size).toBe(order.length);
  });
});
