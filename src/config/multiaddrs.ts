import { asMultiaddr, isAddress } from '../crypto/multiaddr.ts';
import { WrongValue } from './kinds.ts';

/** The address of another node, or an address at which this node is reached, as a multiaddr; `host:port` is also accepted. */
export function peerAddress(item: string): string {
  const address = asMultiaddr(item);
  if (address === undefined || !isAddress(address)) {
    throw new WrongValue(
      'must be host:port, or multiaddrs such as /ip4/192.0.2.1/tcp/7879 and /dns4/node.example/tcp/443/wss',
    );
  }
  return address;
}

/** An address of this machine to listen on, as a multiaddr; `address:port` is also accepted. */
export function listenAddress(item: string): string {
  const address = asMultiaddr(item.replace(/^localhost:/, '127.0.0.1:'));
  if (address === undefined || !/^\/ip[46]\/[^/]+\/tcp\/\d+(?:\/ws)?$/.test(address)) {
    throw new WrongValue(
      'must be address:port, or multiaddrs such as /ip4/0.0.0.0/tcp/7879 and /ip4/0.0.0.0/tcp/7880/ws',
    );
  }
  return address;
}
