import { parse } from 'tldts';
import type { EntryUrl } from '../vaults/properties.ts';
import { parsedUrl } from '../../../base/parsed-url.ts';

/** How well an address of an entry fits a page; 0 means not at all. Only the order of the other numbers matters. */
const fits = { not: 0, domain: 1, sameHost: 2, host: 3, startsWith: 4, exact: 5 } as const;

/** Parses a web address. Without a scheme, https is assumed. @returns undefined for text that isn't a web address */
export function webUrl(text: string): URL | undefined {
  const trimmed = text.trim();
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  const url = parsedUrl(whole);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined;
  // User name and password don't locate a page.
  url.username = '';
  url.password = '';
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  return url;
}

/**
 * Whether an entry's address fits a page, and how closely. A page without TLS never gets a login saved for a page with TLS. Hosts are
 * compared whole (internationalised ones in punycode), never by their endings.
 */
export function fitOf(address: EntryUrl, page: URL): number {
  const url = address.match === 'never' ? undefined : webUrl(address.uri);
  if (url === undefined || (url.protocol === 'https:' && page.protocol === 'http:')) return fits.not;
  switch (address.match) {
    case 'exact':
      return url.href === page.href ? fits.exact : fits.not;
    case 'startsWith':
      return url.origin === page.origin && pathOf(page).startsWith(pathOf(url)) ? fits.startsWith : fits.not;
    case 'host':
      return url.host === page.host ? fits.host : fits.not;
    case 'domain':
      if (url.host === page.host) return fits.sameHost;
      return sameDomain(url, page) ? fits.domain : fits.not;
    default:
      return fits.not;
  }
}

/** Of several addresses, the one that fits best. */
export function bestFit(addresses: readonly EntryUrl[], page: URL): number {
  return Math.max(fits.not, ...addresses.map((address) => fitOf(address, page)));
}

function pathOf(url: URL): string {
  return url.pathname + url.search;
}

/**
 * Whether both have the same registrable domain. The public suffix list is used with its private part, because pages of `a.github.io` and
 * `b.github.io` belong to different people. An address with a port fits only that port. IP addresses and names without a registrable domain
 * never match.
 */
function sameDomain(url: URL, page: URL): boolean {
  if (url.port !== '' && url.port !== page.port) return false;
  const [one, other] = [url, page].map(({ hostname }) => parse(hostname, { allowPrivateDomains: true }));
  return one?.domain != null && one.isIp !== true && one.domain === other?.domain;
}
