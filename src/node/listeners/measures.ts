import type { EventLoopUtilization } from 'node:perf_hooks';
import { gauge, type Measure } from './metrics.ts';
import type { Switchboard } from '../../platform/network/switchboard.ts';
import { gossipCounters, type GossipCounter } from '../../platform/network/metrics.ts';

/** Metrics of the process. Unlike the library's own defaults, they need no work between two scrapes. */
export function processMeasures(): Measure[] {
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  const startSeconds = Date.now() / 1000 - process.uptime();
  return [
    gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970.', () => startSeconds),
    gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()),
    gauge('nodejs_heap_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed),
    {
      name: 'process_cpu_seconds_total',
      help: 'User and system time.',
      kind: 'counter',
      read() {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1e6;
      },
    },
    gauge(
      'nodejs_eventloop_utilization',
      'Share of the time since the last scrape in which the event loop worked.',
      () => {
        const now = performance.eventLoopUtilization();
        const { utilization } = performance.eventLoopUtilization(now, before);
        before = now;
        return utilization;
      },
    ),
  ];
}

/** Metrics of the network between nodes. */
export function networkMeasures({ port, metrics }: Switchboard): Measure[] {
  const counters = Object.entries(gossipCounters) as [GossipCounter, string][];
  return [
    gauge('conclave_gossip_peers', 'Admitted nodes that are connected.', () => count(true)),
    gauge('conclave_gossip_strangers', 'Connected nodes that are not admitted.', () => count(false)),
    gauge(
      'conclave_gossip_wrong_clocks',
      'Nodes of the pool that are connected and whose clock differs from ours by more than a minute.',
      () => port.peers().filter(({ wrongClock }) => wrongClock).length,
    ),
    ...counters.map(([name, help]): Measure => {
      return { name: `conclave_gossip_${name}_total`, help, kind: 'counter', read: () => metrics.read(name) };
    }),
  ];

  function count(admitted: boolean): number {
    return port.peers().filter((peer) => peer.admitted === admitted).length;
  }
}
