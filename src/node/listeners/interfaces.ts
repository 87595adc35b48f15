import type { Engine } from '../engine.ts';
import { createByteBudget, type ByteBudget } from '../../http/byte-budget.ts';
import { clientAddress } from '../../http/client-address.ts';
import type { Limits } from '../../http/limits.ts';
import { countEvidence } from '../../platform/ledger/witness/evidence.ts';
import { countNotices } from '../../platform/ledger/witness/notices.ts';
import { stopsOf } from '../../platform/ledger/witness/stop.ts';
import type { Observation } from '../../http/serving.ts';
import { trackConnections, type Connections } from './connections.ts';
import { loadedAtFirst, type Entrance } from './entrance.ts';
import { createHealth } from './health.ts';
import { createMetrics, gauge, type Measure } from './metrics.ts';
import { networkMeasures, processMeasures } from './measures.ts';
import { outboxMeasures } from './outbox-measures.ts';
import { createWebSockets, type WebSockets } from './websockets.ts';

/** The two entrances of a running server (TCP and control socket), and the WebSockets of both. */
export interface Interfaces {
  readonly tcp: Connections;
  readonly control: Connections;
  readonly webSockets: WebSockets;
  /** the memory for what clients send, over all ways in */
  readonly bytes: ByteBudget;
  /** loads the app for TCP, unless an earlier request has loaded it; a failure is reported to the first request */
  readonly layOut: () => Promise<void>;
}

/** Nobody but this machine comes over the control socket. */
const noProxies = { trustedProxies: [] } as const;

export function createInterfaces(engine: Engine, limits: Limits, signal: AbortSignal): Interfaces {
  const { context } = engine;
  const { config, log } = context;
  const metrics = createMetrics([...processMeasures(), ...measures()]);
  const bytes = createByteBudget(config.limits.bytes);
  const health = createHealth(context.store, context.config.dataDir, context.clock, () => signal.aborted);

  function measures(): Measure[] {
    return [
      gauge('conclave_connections', 'Requests under way over TCP.', () => tcp.inFlight),
      gauge('conclave_body_bytes', 'Bytes of bodies and large answers in memory.', () => bytes.taken),
      gauge('conclave_sockets', 'Signed-in WebSockets.', () => engine.hub.size),
      gauge('conclave_heavy_work_running', 'Password hashes being computed.', () => engine.heavy.running),
      gauge('conclave_heavy_work_waiting', 'Password hashes that wait for their turn.', () => engine.heavy.waiting),
      gauge('conclave_ledger_stopped', '1 while the node signs nothing until it is recovered.', async () =>
        Math.min(1, (await stopsOf(context)).length),
      ),
      gauge(
        'conclave_ledger_contradictions',
        'Contradictions in ledgers of other nodes that this node keeps.',
        async () => (await countEvidence(context)).total,
      ),
      gauge(
        'conclave_ledger_notices',
        'Nodes that show an older ledger, run twice, or do not prove that their ledger continues; see conclave pool status.',
        async () => await countNotices(context),
      ),
      ...(config.network.enabled
        ? [...networkMeasures(engine.switchboard), ...outboxMeasures(engine.switchboard.mailroom, context)]
        : []),
    ];
  }

  function observe(seen: Observation): void {
    metrics.observe(seen);
    if (seen.status >= 500) log.warn('request failed', { ...seen });
    else log.debug('request', { ...seen });
  }

  const entranceOf = (trusted: boolean): Entrance =>
    loadedAtFirst(log, async () => {
      const { appListener } = await import('./app-listener.ts');
      const shows = { health, metrics: trusted || config.metrics ? metrics : undefined };
      return appListener(context, { services: engine.services, trusted, limits, bytes, observe }, shows);
    });

  const overTcp = entranceOf(false);
  const tcp = trackConnections(overTcp.listener, config.server, {
    overTcp: true,
    proxied: config,
  });
  const control = trackConnections(entranceOf(true).listener, config.server, {
    overTcp: false,
    proxied: noProxies,
  });
  // Every TCP request has an address here (see connections.ts). A request without one came over the control socket.
  const addressOf = clientAddress(config, 'local');
  return {
    tcp,
    control,
    bytes,
    layOut: overTcp.layOut,
    webSockets: createWebSockets(engine.hub, { addressOf, limits, log }),
  };
}
