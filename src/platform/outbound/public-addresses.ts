import { Resolver } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { wholeNumber } from '../../base/whole-number.ts';
import type { Outgoing } from '../../service/ports/outbound.ts';

/** IANA IPv4 Special-Purpose Address Registry, with multicast and what is reserved. */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** The only range of IPv6 that IANA gives out. All mapped, link-local and unique local addresses are outside of it. */
const global6 = '2000::/3';
/** Of that range: protocol assignments with Teredo, documentation, and 6to4, behind which any IPv4 address can be. */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits = ''] = network.split('/');
    list.addSubnet(address, wholeNumber(bits) ?? 0, family);
  }
  return list;
}

/** @returns whether an address is one of the public internet; false for a text that is no address */
export function publicAddresses(): (address: string) => boolean {
  const [not4, is6, not6] = [listOf(special4, 'ipv4'), listOf([global6], 'ipv6'), listOf(special6, 'ipv6')];
  return (address) => {
    // A zone belongs to a link of this machine.
    if (address.includes('%')) return false;
    const version = isIP(address);
    if (version === 4) return !not4.check(address, 'ipv4');
    return version === 6 && is6.check(address, 'ipv6') && !not6.check(address, 'ipv6');
  };
}

/**
 * Asks the name servers of the system. The resolver of the operating system would hold one of the program's few threads, for as long as a
 * stranger's name server likes. It also knows names of this machine alone.
 */
async function resolved(hostname: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}

/** Public addresses alone. */
export function systemOutgoing(): Outgoing {
  let isPublic: ((address: string) => boolean) | undefined;
  return {
    lookup: resolved,
    allows: (address) => (isPublic ??= publicAddresses())(address),
    ca: undefined,
  };
}
