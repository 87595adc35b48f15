import { isIP } from 'node:net';
import { invalid } from './input.ts';
import { wholeNumber } from '../../whole-number.ts';

const MULTIADDR =
  /^\/(?:ip4|ip6|dns|dns4|dns6)\/[A-Za-z0-9.:-]{1,253}\/tcp\/(\d{1,5})(?:\/wss?)?(?:\/p2p\/16Uiu2[1-9A-HJ-NP-Za-km-z]{47})?$/;
const HOST_AND_PORT = /^(?:\[([0-9a-fA-F:.]{2,45})\]|([A-Za-z0-9.-]{1,253})):(\d{1,5})$/;

/**
 * Where a node is reached, as a multiaddr.
 * @param text host:port, [address]:port or a multiaddr
 * @throws Problem invalid VALIDATION_ERROR
 */
export function nodeAddress(text: string): string {
  const address = text.startsWith('/') ? text : ofHostAndPort(text);
  const port = wholeNumber(address === undefined ? undefined : MULTIADDR.exec(address)?.[1], 65_535) ?? 0;
  if (address === undefined || port === 0)
    throw invalid('address', 'must be host:port, or a multiaddr such as /ip4/192.0.2.1/tcp/7879');
  return address;
}

function ofHostAndPort(text: string): string | undefined {
  const [, six, name, port] = HOST_AND_PORT.exec(text) ?? [];
  if (port === undefined) return undefined;
  if (six !== undefined) return isIP(six) === 6 ? `/ip6/${six}/tcp/${wholeNumber(port) ?? 0}` : undefined;
  return `/${isIP(name ?? '') === 4 ? 'ip4' : 'dns'}/${name ?? ''}/tcp/${wholeNumber(port) ?? 0}`;
}
