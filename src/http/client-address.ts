import { BlockList, isIP, isIPv6 } from 'node:net';
import { wholeNumber } from '../base/whole-number.ts';

/** The source of an address: a request of srvx, or an upgrade. */
export interface Arrival {
  readonly headers: Headers;
  /** address of the peer; undefined in process, over the control socket, and if the connection closed before the address was read */
  readonly ip?: string | undefined;
}

export type ClientAddress = (arrival: Arrival) => string;

/** Holds the configured proxies, of which there may be others while the server runs. */
interface Proxied {
  /** addresses or CIDR ranges */
  readonly trustedProxies: readonly string[];
}

/**
 * The client's address. Forwarding headers count only if the peer is a configured proxy. They are then read from the right, up to the first
 * address that is not a configured proxy. The client wrote everything to the left of that address.
 *
 * @param unaddressed the name of a peer without an address. Only `local` is not counted, so it is for callers who can read the data
 *   directory anyway. Clients over TCP must never get it: they all share `unknown`.
 * @param onUnreadable called with a proxy that sent what is no address; the proxy's own counts then, for all of its clients
 */
export function clientAddress(
  proxied: Proxied,
  unaddressed: 'local' | 'unknown',
  onUnreadable?: (proxy: string) => void,
): ClientAddress {
  const isTrusted = trustedPeers(proxied);
  return (request) => {
    let address = peerAddress(request.ip ?? unaddressed);
    if (!isTrusted(address)) return address;
    const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? [];
    for (const hop of forwarded.reverse()) {
      const candidate = peerAddress(withoutPort(hop.trim()));
      if (isIP(candidate) === 0) {
        onUnreadable?.(address);
        return address;
      }
      address = candidate;
      if (!isTrusted(address)) return address;
    }
    return address;
  };
}

/** `203.0.113.7:4711` and `[2001:db8::7]:4711`, as application gateways and load balancers write it, without the port. */
function withoutPort(hop: string): string {
  const [, six, four] = /^(?:\[(?<six>[^\]]+)\](?::\d+)?|(?<four>[\d.]+):\d+)$/.exec(hop) ?? [];
  return six ?? four ?? hop;
}

/** Tells by the address of a peer whether it is one of the configured proxies. */
export function trustedPeers(proxied: Proxied): (address: string) => boolean {
  let listed: readonly string[] = [];
  let list = new BlockList();
  return (address) => {
    const { trustedProxies } = proxied;
    // A lookup in an empty list takes 5 µs, a twentieth of a whole request.
    if (trustedProxies.length === 0) return false;
    if (trustedProxies !== listed) {
      listed = trustedProxies;
      list = proxyList(listed);
    }
    return isProxy(list, address);
  };
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
