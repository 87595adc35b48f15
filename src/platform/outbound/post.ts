import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { request } from 'node:https';
import type { Outgoing } from '../../service/ports/outbound.ts';
import { parsedUrl } from '../../base/parsed-url.ts';

/** Why nothing was sent: the URL is none that this node may send to. */
export class OutgoingRefused extends Error {}

/** A name can be resolved slowly on purpose. */
const LOOKUP_MS = 5_000;

/** A URL that strangers gave, and the addresses that it may be reached at. */
export interface Destination {
  readonly url: URL;
  readonly addresses: readonly string[];
}

/**
 * Resolves a URL. One that has any address that is not allowed is refused, because the connection could go to that one.
 * @throws OutgoingRefused; the message names no address, since it could be one of a private network
 */
export async function destinationOf(outgoing: Outgoing, text: string): Promise<Destination> {
  const url = parsedUrl(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.hash !== '')
    throw new OutgoingRefused('it must be an https URL without user and fragment');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(host) === 0 ? await resolved(outgoing, host) : [host];
  if (addresses.length === 0 || !addresses.every((one) => outgoing.allows(one)))
    throw new OutgoingRefused('its host has no public address, or another one too');
  return { url, addresses };
}

async function resolved(outgoing: Outgoing, host: string): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly string[]>((resolve) => (timer = setTimeout(resolve, LOOKUP_MS, [])));
  try {
    return await Promise.race([outgoing.lookup(host).catch(() => []), late]);
  } finally {
    clearTimeout(timer);
  }
}

export interface Posting {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** milliseconds from the beginning to the head of the answer */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface PostAnswer {
  readonly status: number;
  /** the value of Retry-After */
  readonly retryAfter: string | undefined;
}

/**
 * Sends bytes to an address of the destination, and to no other: the name is not resolved again, no redirect is followed, no connection is
 * used twice. Of the answer only the head is read.
 */
export async function postTo(
  outgoing: Outgoing,
  { url, addresses }: Destination,
  { headers, body, timeoutMs, signal }: Posting,
): Promise<PostAnswer> {
  return await new Promise<PostAnswer>((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': `${body.length}`, 'user-agent': 'conclave' },
      agent: false,
      lookup: pinned(addresses),
      ...(outgoing.ca !== undefined && { ca: [...outgoing.ca] }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      const { statusCode = 0, headers: answered } = response;
      // Nobody reads what else the server says. The end of the connection is no failure.
      response.on('error', () => undefined);
      response.destroy();
      resolve({ status: statusCode, retryAfter: answered['retry-after'] });
    });
    sent.end(body);
  });
}

/** Resolves whatever is asked to addresses that were checked. */
export function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, done) => {
    if (options.all === true) done(null, all);
    else done(null, all[0]?.address ?? '', all[0]?.family ?? 0);
  };
}
