import type { Connection, Libp2p } from '@libp2p/interface';
import { multiaddr } from '@multiformats/multiaddr';
import type { Admission } from './admission.ts';
import { identityOf } from './gatekeeper.ts';
import { unlessAborted } from './unless-aborted.ts';

/** Dials an address; the caller must check which node answers. Others may use the same connection. */
export type Dial = (address: string, signal?: AbortSignal) => Promise<Connection>;

/**
 * Dials each place once at a time: whoever wants to connect to it meanwhile gets the same connection. A node may be configured without its
 * id and be known from others with it, and messages for it may wait. libp2p takes these for different peers, ends the second connection when
 * it is open, and all that had begun on it is lost.
 */
export function createDials(libp2p: Pick<Libp2p, 'dial'>, timeMs: number): Dial {
  const underWay = new Map<string, Promise<Connection>>();

  function start(place: string, address: string): Promise<Connection> {
    const dialing = libp2p
      .dial(multiaddr(address), { signal: AbortSignal.timeout(timeMs) })
      .finally(() => underWay.delete(place));
    underWay.set(place, dialing);
    return dialing;
  }

  return async (address, signal) => {
    const place = address.replace(/\/p2p\/[^/]+$/, '');
    const dialing = underWay.get(place) ?? start(place, address);
    return await (signal === undefined ? dialing : unlessAborted(dialing, signal));
  };
}

/** For a connection with another node than was looked for: it is as good as any if that one belongs to the pool. */
export async function closeUnlessAdmitted(connection: Connection, admission: Admission): Promise<void> {
  const nodeId = identityOf(connection.remotePeer)?.nodeId;
  if (nodeId === undefined || !(await admission.isAdmitted(nodeId))) await connection.close();
}
