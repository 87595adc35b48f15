import { parse } from 'tldts';
import type { EntryUrl } from '../vaults/properties.ts';

/** How well an address of an entry fits a page; 0 for not at all. The rest is an order. */
const fits = { not: 0, domain: 1, sameHost: 2, host: 3, startsWith: 4, exact: 5 } as const;

/** An address without a scheme is one of https. @returns undefined for what is no address of the web */
export function webUrl(text: string): URL | undefined {
  const trimmed = text.trim();
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined;
  // Neither is part of where a page is.
  url.username = '';
  url.password = '';
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  return url;
}

/**
 * Whether an entry's address is that of a page, and how closely. A page without TLS never gets what belongs to one with it.
 * Hosts are compared as wholes (internationalised ones in punycode), never by how they end.
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
 * The same registrable domain, by the public suffix list with its private part: pages of `a.github.io` and `b.github.io` belong to
 * different people. An address with a port is for that port. IP addresses and names without a registrable domain have none to share.
 */
function sameDomain(url: URL, page: URL): boolean {
  if (url.port !== '' && url.port !== page.port) return false;
  const [one, other] = [url, page].map(({ hostname }) => parse(hostname, { allowPrivateDomains: true }));
  return one?.domain != null && one.isIp !== true && one.domain === other?.domain;
}
