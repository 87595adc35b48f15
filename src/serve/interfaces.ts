import type { Engine } from '../engine.ts';
import { createApp, type App } from '../http/app.ts';
import { createByteBudget } from '../http/byte-budget.ts';
import { clientAddress } from '../http/client-address.ts';
import type { Limits } from '../http/limits.ts';
import type { Observation } from '../http/serving.ts';
import { trackConnections, type Connections } from './connections.ts';
import { addHealth, createHealth } from './health.ts';
import { createMetrics, gauge, type Measure, addMetrics } from './metrics.ts';
import { networkMeasures, processMeasures } from './measures.ts';
import { createWebSockets, type WebSockets } from './websockets.ts';
import type { RequestListener } from 'node:http';
import { toNodeHandler } from 'srvx/node';
import type { Log } from '../log.ts';

/** The two entrances of a running server (TCP and control socket), and the WebSockets of both. */
export interface Interfaces {
  readonly tcp: Connections;
  readonly control: Connections;
  readonly webSockets: WebSockets;
  /** creates the app for TCP, unless an earlier request has created it */
  readonly layOut: () => void;
}

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
      ...(config.network.enabled ? networkMeasures(engine.switchboard) : []),
    ];
  }

  function observe(seen: Observation): void {
    metrics.observe(seen);
    if (seen.status >= 500) log.warn('request failed', { ...seen });
    else log.debug('request', { ...seen });
  }

  function appOf(trusted: boolean): App {
    return createApp(context, {
      services: engine.services,
      trusted,
      limits,
      bytes,
      observe,
      extend(add) {
        addHealth(add, health);
        if (trusted || config.metrics) addMetrics(add, metrics);
      },
    });
  }

  // The app has hundreds of routes, so it is created after the server has said that it listens, or at the first request if that is earlier.
  let overTcp: App | undefined;
  const appOverTcp = (): App => (overTcp ??= appOf(false));
  const tcp = trackConnections(
    nodeListener((request) => appOverTcp().fetch(request), log),
    config.server,
    { overTcp: true, trustedProxies: config.trustedProxies },
  );
  // Created at the first connection: many servers never get a request over the control socket.
  let overSocket: App | undefined;
  const control = trackConnections(
    nodeListener((request) => (overSocket ??= appOf(true)).fetch(request), log),
    config.server,
    { overTcp: false, trustedProxies: [] },
  );
  // Every TCP request has an address here (see connections.ts). A request without one came over the control socket.
  const addressOf = clientAddress(config.trustedProxies, 'local');
  return { tcp, control, layOut: () => void appOverTcp(), webSockets: createWebSockets(engine.hub, addressOf, log) };
}

/** An app as a listener for Node's servers. An error outside of the app's own handling becomes a bare 500 and a line in the log. */
export function nodeListener(fetch: App['fetch'], log: Log): RequestListener {
  const failed = (error: unknown): Response => {
    log.error('handling a request failed', { error });
    return new Response(null, { status: 500 });
  };
  // The type also covers HTTP/2 servers, which are not used here.
  const handle = toNodeHandler((request) => {
    try {
      const response = fetch(request);
      return response instanceof Promise ? response.catch(failed) : response;
    } catch (error) {
      return failed(error);
    }
  }) as RequestListener;
  return handle;
}
