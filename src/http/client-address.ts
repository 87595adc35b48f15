import { BlockList, isIP, isIPv6 } from 'node:net';
import { wholeNumber } from '../base/whole-number.ts';

/** The source of an address: a request of srvx, or an upgrade. */
export interface Arrival {
  readonly headers: Headers;
  /** address of the peer; undefined in process, over the control socket, and if the connection closed before the address was read */
  readonly ip?: string | undefined;
}

export type ClientAddress = (arrival: Arrival) => string;

/**
 * The client's address. Forwarding headers count only if the peer is a configured proxy. They are then read from the right, up to the first
 * address that is not a configured proxy. The client wrote everything to the left of that address.
 *
 * @param unaddressed the name of a peer without an address. Only `local` is not counted, so it is for callers who can read the data
 *   directory anyway. Clients over TCP must never get it: they all share `unknown`.
 */
export function clientAddress(trustedProxies: readonly string[], unaddressed: 'local' | 'unknown'): ClientAddress {
  const isTrusted = trustedPeers(trustedProxies);
  return (request) => {
    let address = peerAddress(request.ip ?? unaddressed);
    if (!isTrusted(address)) return address;
    const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? [];
    for (const hop of forwarded.reverse()) {
      const candidate = peerAddress(hop.trim());
      if (isIP(candidate) === 0) return address;
      address = candidate;
      if (!isTrusted(address)) return address;
    }
    return address;
  };
}

/** Tells by the address of a peer whether it is one of the configured proxies. */
export function trustedPeers(trustedProxies: readonly string[]): (address: string) => boolean {
  // A lookup in an empty list takes 5 µs, a twentieth of a whole request.
  if (trustedProxies.length === 0) return () => false;
  const proxies = proxyList(trustedProxies);
  return (address) => isProxy(proxies, address);
}

function proxyList(trusted: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of trusted) {
    const [network = '', prefix] = entry.split('/');
    const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(network, family);
    else list.addSubnet(network, wholeNumber(prefix) ?? 128, family);
  }
  return list;
}

function isProxy(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** An IPv4 address in IPv6 form becomes IPv4: it is the same client, with one rate limit. */
export function peerAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** A customer of a provider can choose addresses from a /64 of IPv6, so a /64 counts as one client. */
export function networkOf(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address;
  const [bare = ''] = address.split('%', 1);
  const [head = '', tail] = bare.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const network = [...left, ...zeros, ...right].slice(0, 4).map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
