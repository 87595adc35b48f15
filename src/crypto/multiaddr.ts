import { isIP } from 'node:net';
import { nodeIdOfAddress } from './peer-id.ts';
import { wholeNumber } from '../base/whole-number.ts';

/** The limit for the addresses that a node may announce for itself. */
export const MAX_ADDRESSES = 8;
const MAX_LENGTH = 400;
const FORM = /^\/(ip4|ip6|dns|dns4|dns6)\/([^/]{1,253})\/tcp\/(\d{1,5})(?:\/wss?)?(?:\/p2p\/[^/]{1,64})?$/;
const NAME = /^(?!-)[\da-z.-]+(?<![-.])$/i;
const HOST_AND_PORT = /^(?:\[([^\]]+)\]|([^:/]+)):(\d{1,5})$/;

/**
 * Parses an address: a multiaddr of TCP or WebSocket, with or without the peer id, is returned unchanged; `host:port` is converted to a
 * multiaddr. Anything else gives undefined. Port 0 is accepted, because addresses to listen on may have it.
 */
export function asMultiaddr(text: string): string | undefined {
  const address = text.startsWith('/') ? text : ofHostAndPort(text);
  const [, kind, host = '', port] = (address !== undefined && address.length <= MAX_LENGTH && FORM.exec(address)) || [];
  if (kind === undefined || wholeNumber(port, 65_535) === undefined) return undefined;
  const fits = kind === 'ip4' ? isIP(host) === 4 : kind === 'ip6' ? isIP(host) === 6 : NAME.test(host);
  const named = !address?.includes('/p2p/') || nodeIdOfAddress(address) !== undefined;
  return fits && named ? address : undefined;
}

function ofHostAndPort(text: string): string | undefined {
  const [, six, name = '', port] = HOST_AND_PORT.exec(text) ?? [];
  if (port === undefined) return undefined;
  const kind = six !== undefined ? 'ip6' : isIP(name) === 4 ? 'ip4' : 'dns';
  return `/${kind}/${six ?? name}/tcp/${wholeNumber(port) ?? 0}`;
}

/** Whether it is possible to connect to this address. */
export function isAddress(text: string): boolean {
  return text.startsWith('/') && asMultiaddr(text) !== undefined && !/\/tcp\/0+(?:\/|$)/.test(text);
}

/** The addresses that can belong to this node. An address that names another node is removed, because it would connect to that node. */
export function addressesFor(nodeId: string, addresses: readonly string[]): string[] {
  const fitting = addresses.filter((address) => isAddress(address) && mayBe(nodeId, address));
  return [...new Set(fitting)].slice(0, MAX_ADDRESSES);
}

function mayBe(nodeId: string, address: string): boolean {
  return !address.includes('/p2p/') || nodeIdOfAddress(address) === nodeId;
}
