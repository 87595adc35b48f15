import type { Socket } from 'node:net';
import { networkOf, peerAddress, trustedPeers } from '../../http/client-address.ts';

export interface DoorOptions {
  /** maximum number of open connections of one address */
  readonly perAddress: number;
  /** holds the addresses of proxies, which are not counted */
  readonly proxied: { readonly trustedProxies: readonly string[] };
}

/** Counts connections by the address of the peer, until they close. */
export function createDoor({ perAddress, proxied }: DoorOptions): (socket: Socket) => boolean {
  const open = new Map<string, number>();
  const isTrusted = trustedPeers(proxied);
  return (socket) => {
    const address = peerAddress(socket.remoteAddress ?? '');
    if (isTrusted(address)) return true;
    const network = networkOf(address);
    const now = (open.get(network) ?? 0) + 1;
    if (now > perAddress) return false;
    open.set(network, now);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
    return true;
  };
}
