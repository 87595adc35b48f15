import { domainToUnicode } from 'node:url';
import type { UrlMatch } from '../../../contract/passvault/entry.ts';
import type { GitCredential } from './git-credential.ts';
import { parsedUrl } from '../../../base/parsed-url.ts';

/**
 * The place where git wants to sign in. It must match exactly: a helper that answers for a similar host gives the password to the wrong
 * server.
 */
export interface GitPlace {
  readonly protocol: string;
  readonly hostname: string;
  /** empty for the default port of the protocol */
  readonly port: string;
  /** the path that git sends if `credential.useHttpPath` is set; undefined for every path */
  readonly path: string | undefined;
  /** the place as an address */
  readonly address: string;
  /** equivalent spellings of the host */
  readonly spellings: readonly string[];
}

/** A name or an IPv6 address, with an optional port. Any other character of an address could end the host or begin another one. */
const hostAndPort = /^(\[[\da-f:.]+\]|[\p{L}\p{N}\p{M}._-]+)(?::([1-9]\d{0,4}))?$/iu;

/** @returns undefined if no entry can have such a place, for example for a certificate's passphrase */
export function placeOf({ protocol, host, path }: GitCredential): GitPlace | undefined {
  const [, name, port = ''] = hostAndPort.exec(host) ?? [];
  if (name === undefined || !/^[a-z][a-z\d+.-]*$/.test(protocol) || isBroken(path ?? '')) return undefined;
  const url = parsedUrl(`${protocol}://${name}${port === '' ? '' : `:${port}`}/`);
  if (url === undefined) return undefined;
  // URL parsing may turn numbers into an address, and letters into other letters. The result is then not the host that git named.
  const said = name.toLowerCase();
  const unicode = domainToUnicode(url.hostname);
  if (said !== url.hostname.toLowerCase() && said !== unicode) return undefined;
  if (path !== undefined) url.pathname = path;
  return {
    protocol: url.protocol,
    hostname: url.hostname.toLowerCase(),
    port: url.port,
    path: path === undefined ? undefined : trimmed(path),
    address: path === undefined ? `${protocol}://${host}` : url.href,
    spellings: [...new Set([said, url.hostname, unicode])].filter((text) => text !== ''),
  };
}

/** Whether an address of an entry is at that place. Protocol, host and port must be equal, and the path too if git sent one. */
export function isAt(place: GitPlace, { uri, match }: { readonly uri: string; readonly match: UrlMatch }): boolean {
  const text = uri.trim();
  const url =
    match === 'never' ? undefined : parsedUrl(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  return (
    url !== undefined &&
    url.protocol === place.protocol &&
    url.hostname.toLowerCase() === place.hostname &&
    url.port === place.port &&
    (place.path === undefined || trimmed(decoded(url.pathname + url.search)) === place.path)
  );
}

function trimmed(path: string): string {
  return path.replaceAll(/^\/+|\/+$/g, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isBroken(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  return /[\u0000-\u001f\u007f]/.test(text);
}
