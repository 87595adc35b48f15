import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Clock } from '../../src/service/context.ts';
import type { Service } from '../../src/service/service-parts.ts';
import { openEngine, type Engine } from '../../src/node/engine.ts';
import { serve, type Ready } from '../../src/node/listeners/serve.ts';
import { cheapCosts } from './cheap-costs.ts';
import { collectLog, type CollectedLog } from './collected-log.ts';
import type { Fetch } from './house.ts';

export interface RunningNode extends AsyncDisposable {
  readonly dataDir: string;
  readonly engine: Engine;
  readonly ready: Ready;
  readonly log: CollectedLog;
  /** over TCP, with paths for URLs */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** over the control socket */
  readonly control: Fetch;
  /** asks the server to read its configuration again; its log and its status say what came of it */
  reload(): void;
  /** asks the server to stop, and waits until it has */
  stop(): Promise<void>;
}

export interface RunningNodeOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: Partial<Config>;
  /** of another node, which then shares its secret */
  readonly dataDir?: string;
  /** what it serves, when not all services and nothing else */
  readonly services?: readonly Service[];
  readonly clock?: Clock;
}

/** The program's own server in this process: a real listener on a free port, a real control socket, a real store in a folder of its own. */
export async function startNode({
  env = {},
  config: changes = {},
  dataDir,
  services,
  clock,
}: RunningNodeOptions = {}): Promise<RunningNode> {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'conclave-node-')));
  const read = async () =>
    await loadConfig({
      flags: { 'data-dir': folder, port: '0' },
      env: { CONCLAVE_LOG_LEVEL: 'debug', CONCLAVE_SERVER_DRAIN: '2s', ...env },
      home: folder,
      cwd: folder,
    });
  const loaded = await read();
  const { config, secrets } = loaded;
  // Benchmarks start these nodes as well, where no run has made a store to copy.
  if (dataDir === undefined && config.database === undefined && process.env['VITEST'] !== undefined) {
    const { putMigratedStore } = await import('./stores.ts');
    await putMigratedStore(folder);
  }
  const log = collectLog();
  const engine = await openEngine({ ...config, ...cheapCosts(config), ...changes }, secrets, {
    create: true,
    command: 'a test',
    server: {},
    log,
    ...(services !== undefined && { services }),
    ...(clock !== undefined && { clock }),
  });
  const stopping = new AbortController();
  let onReload = (): void => undefined;
  const onRequest = (listener: () => void) => {
    onReload = listener;
    return () => undefined;
  };
  let serving: Promise<void> | undefined;
  async function close(): Promise<void> {
    await engine[Symbol.asyncDispose]();
    if (dataDir === undefined) await rm(folder, { recursive: true, force: true });
  }
  try {
    const ready = await new Promise<Ready>((resolve, reject) => {
      serving = serve(engine, { signal: stopping.signal, onReady: resolve, reloads: { loaded, read, onRequest } });
      serving.catch(reject);
    });
    const stop = async (): Promise<void> => {
      stopping.abort();
      await serving;
    };
    return {
      dataDir: folder,
      engine,
      ready,
      log,
      fetch: async (path, init) => await fetch(ready.url + path, init),
      control: socketFetch(ready.controlSocket ?? 'none'),
      reload: () => onReload(),
      stop,
      async [Symbol.asyncDispose]() {
        await stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** `fetch` over a Unix socket. */
function socketFetch(socketPath: string): Fetch {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    return await new Promise((resolve, reject) => {
      const outgoing = httpRequest(
        {
          socketPath,
          method: request.method,
          path: pathname + search,
          headers: { ...Object.fromEntries(request.headers), 'content-length': body.length },
          agent: false,
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
            resolve(
              new Response(chunks.length === 0 ? null : Buffer.concat(chunks), {
                status: incoming.statusCode ?? 0,
                headers,
              }),
            );
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  };
}
