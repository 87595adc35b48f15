import { Problem } from '../base/problem.ts';
import { parsedUrl } from '../base/parsed-url.ts';

/**
 * Parses the address of a server as people write it: `conclave.example.org`, `localhost:8080`, `https://example.org/under/here`. Without a
 * scheme, loopback addresses use http and all others https.
 *
 * @throws Problem invalid SERVER_INVALID
 */
export function parseServer(text: string): URL {
  const written = text.trim();
  const address = parsedUrl(withScheme(written));
  if (address === undefined || address.hostname === '') throw invalid('is not an address of a server');
  if (address.protocol !== 'https:' && address.protocol !== 'http:')
    throw invalid('must begin with https:// or http://');
  // The address appears in messages, in the shell's history and in the file of sign-ins.
  if (address.username !== '' || address.password !== '') throw invalid('must not hold a password');
  if (address.search !== '' || address.hash !== '') throw invalid('must not have a ? or # part');
  address.pathname = address.pathname.replace(/\/+$/, '');
  return address;
}

/** The name of a server in messages, and its key in the file of sign-ins. */
export function serverName(address: URL): string {
  return address.href.replace(/\/$/, '');
}

export function isLoopback(address: URL): boolean {
  const host = unbracketed(address.hostname);
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** URLs write IPv6 addresses in brackets; sockets take them without. */
export function unbracketed(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function withScheme(text: string): string {
  if (text.includes('://')) return text;
  const guess = `http://${text}`;
  const url = parsedUrl(guess);
  return url !== undefined && isLoopback(url) ? guess : `https://${text}`;
}

function invalid(why: string): Problem {
  return new Problem('invalid', 'SERVER_INVALID', `The address in --server or CONCLAVE_SERVER ${why}.`);
}
