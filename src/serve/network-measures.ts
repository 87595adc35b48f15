import type { Switchboard } from '../gossip/switchboard.ts';
import { gossipCounters, type GossipCounter } from '../gossip/metrics.ts';
import { gauge, type Measure } from './metrics.ts';

/** What the network between nodes says of itself. */
export function networkMeasures({ port, metrics }: Switchboard): Measure[] {
  const counters = Object.entries(gossipCounters) as [GossipCounter, string][];
  return [
    gauge('conclave_gossip_peers', 'Admitted nodes that are connected.', () => count(true)),
    gauge('conclave_gossip_strangers', 'Connected nodes that are not admitted.', () => count(false)),
    ...counters.map(([name, help]): Measure => {
      return { name: `conclave_gossip_${name}_total`, help, kind: 'counter', read: () => metrics.read(name) };
    }),
  ];

  function count(admitted: boolean): number {
    return port.peers().filter((peer) => peer.admitted === admitted).length;
  }
}
