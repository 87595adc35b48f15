import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Engine } from '../engine.ts';
import { memoryCounter } from '../../http/counter.ts';
import { createLiveLimits, type CounterFactory } from '../../http/limits.ts';
import { readableMend } from '../../platform/store/data-folder.ts';
import { relayPassword } from '../../platform/outbound/relay-password.ts';
import { serverCertificate } from './certificate.ts';
import { runInBackground } from './background.ts';
import type { Connections } from './connections.ts';
import { openControlSocket } from './control-socket.ts';
import { createInterfaces } from './interfaces.ts';
import { listenSmtp, type SmtpReady } from './listen-smtp.ts';
import { listenTcp } from './listen.ts';
import { watchReloads, type Reloads } from './reload.ts';
import { ownPlaces } from '../own-places.ts';
import { sayRunning } from './running.ts';
import { isForWebSockets, type WebSockets } from './websockets.ts';

/** Information about a server that accepts requests. */
export interface Ready {
  /** the URL for display */
  readonly url: string;
  /** all URLs under which the server can be reached */
  readonly urls: readonly string[];
  readonly port: number;
  /** undefined if another server on the same data directory has the control socket */
  readonly controlSocket: string | undefined;
  /** SHA-256 of the certificate, in hex with colons; undefined without TLS */
  readonly fingerprint: string | undefined;
  /** whether the node made the certificate, so that clients have to be told its fingerprint */
  readonly selfSigned: boolean;
  /** undefined without SMTP */
  readonly smtp: SmtpReady | undefined;
}

export interface ServeOptions {
  /** stops the server when it aborts */
  readonly signal: AbortSignal;
  readonly onReady?: (ready: Ready) => void;
  /** called when everything that the first requests need is loaded */
  readonly onLoaded?: () => void;
  /** undefined: the configuration stays as it is */
  readonly reloads?: Reloads | undefined;
}

/** Time that WebSocket clients have for the closing handshake. */
const GOODBYE_MS = 1_000;

/**
 * Serves an engine over TCP, WebSocket and the control socket until the signal aborts. Then it waits for running requests. The caller must
 * close the engine.
 *
 * @throws Problem unavailable PORT_IN_USE; those of `ownPlaces`; and every other error that prevents listening
 */
export async function serve(engine: Engine, { signal, onReady, onLoaded, reloads }: ServeOptions): Promise<void> {
  const { config, log, clock, instance } = engine.context;
  const mend = await readableMend(config.dataDir);
  if (mend !== undefined) log.warn(`other users of this machine can read the data directory; run: ${mend}`);
  if (!config.limits.enabled) log.warn('rate limits are off; turn them off only for load tests');
  const certificate = await serverCertificate(config, clock.now(), log);
  await relayPassword(config.mail.relayPasswordFile);
  await using open = new Disposables();
  open.add(await ownPlaces(engine));
  open.add(await sayRunning());
  const { limits, renew } = createLiveLimits(config.limits, await countersOf(engine, open), memoryCounter);
  const { tcp, control, webSockets, layOut, bytes } = createInterfaces(engine, limits, signal);

  const controlServer = createServer(control.listener);
  attach(controlServer, control, webSockets);
  // Opened while the TCP listener is being loaded. It is closed again if the port is not available.
  const opening = openControlSocket(config.dataDir, controlServer);
  open.add({
    [Symbol.asyncDispose]: async () => await (await opening.catch(() => undefined))?.[Symbol.asyncDispose](),
  });
  open.add(cutting(control));
  const listening = await listenTcp(tcp.listener, { host: config.host, port: config.port, tls: certificate?.pair });
  attach(listening.server, tcp, webSockets);
  open.add(cutting(tcp));
  const controlSocket = await opening;
  if (controlSocket === undefined)
    log.warn('another server has the control socket of this data directory; this server runs without one');
  const smtp = open.add(await listenSmtp(engine, { limits, bytes }));
  open.add(await engine.hub.followOthers());
  open.add(await engine.startNetwork());
  const background = runInBackground(engine.context, engine.services, signal).catch((error: unknown) =>
    log.error('jobs stopped running; restart the server', { error }),
  );

  const endReloads = reloads && watchReloads(engine, reloads, { server: listening.server, smtp, renewLimits: renew });

  const { url, urls, port } = listening;
  instance.addresses.push(...urls);
  onReady?.({
    url,
    urls,
    port,
    controlSocket: controlSocket?.path,
    fingerprint: certificate?.fingerprint,
    selfSigned: config.tls === 'self-signed',
    smtp: smtp?.ready,
  });
  setImmediate(() => void layOut().finally(onLoaded));
  log.info('listening', { urls, ...(certificate !== undefined && { fingerprint: certificate.fingerprint }) });

  await aborted(signal);
  await endReloads?.();
  instance.addresses.length = 0;
  log.info('stopping', { requests: tcp.inFlight + control.inFlight, sockets: engine.hub.size });
  const { drainMs } = config.server;
  await Promise.all([tcp.drain(drainMs), control.drain(drainMs), smtp?.drain(drainMs)]);
  await webSockets.close(GOODBYE_MS);
  await background;
  log.info('stopped');
}

/** All processes on one database share their counters. On the embedded store there is only one process. */
async function countersOf({ databaseUrl, context }: Engine, open: Disposables): Promise<CounterFactory> {
  if (databaseUrl === undefined) return memoryCounter;
  const [{ openCounterTable }, { sharedCounter }] = await Promise.all([
    import('../../platform/store/postgres/counters.ts'),
    import('../../http/shared-counter.ts'),
  ]);
  const table = open.add(await openCounterTable(databaseUrl));
  return (prefix, rate) => sharedCounter(prefix, rate, table, context.log);
}

function attach(server: Server, connections: Connections, webSockets: WebSockets): void {
  connections.watch(server);
  server.on('upgrade', (request, socket, head) => {
    if (isForWebSockets(request)) webSockets.upgrade(request, socket, head);
    else connections.ignoreUpgrade(request, socket as Socket, head);
  });
}

/** Cuts all connections, also when starting fails half-way, so that no listener is left. */
function cutting(connections: Connections): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => await connections.cut(),
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Closes resources in reverse order, also if opening the next one fails. Node 20 has no AsyncDisposableStack. */
class Disposables implements AsyncDisposable {
  readonly #open: AsyncDisposable[] = [];

  add<T extends AsyncDisposable | undefined>(resource: T): T {
    if (resource !== undefined) this.#open.push(resource);
    return resource;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) await next[Symbol.asyncDispose]();
  }
}
