import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import type { Context } from '../../src/service/context.ts';
import { openEngine } from '../../src/node/engine.ts';
import { silentLog, type Log } from '../../src/base/log.ts';
import type { Service } from '../../src/service/service-parts.ts';
import { serve, type Ready } from '../../src/node/listeners/serve.ts';
import { inStage } from '../support/stage.ts';
import { cheapCosts } from '../support/cheap-costs.ts';
import { lendHome, makeHome, root } from '../support/prepared-home.ts';
import { runCommand, type Run, type RunOptions } from './run-command.ts';

export type WayIn = 'process' | 'socket' | 'url';
/** The quick stage leaves a store that a command opens itself to the tests of the operator, and only the last one has the control socket. */
export const ways: readonly WayIn[] = inStage(['url'], ['process', 'url'], ['process', 'socket', 'url']);
/** For tests that ask little of the way itself: another file of the service goes all ways of the stage. */
export const fewWays: readonly WayIn[] = inStage(['url'], ['url'], ways);

type CommandClass = Parameters<typeof runCommand>[0];

/** A folder with a store, a folder for sign-ins, and, if wanted, a server on the store. */
export interface Home extends AsyncDisposable {
  readonly folder: string;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly ready: Ready | undefined;
  /** runs a command as this home's user, by the home's way in */
  run(command: CommandClass, argv?: readonly string[], options?: RunOptions): Promise<Run>;
  /** as the operator, who has the data directory */
  operate(command: CommandClass, argv?: readonly string[], options?: RunOptions): Promise<Run>;
  /** writes a file that a flag can name */
  file(name: string, text: string): Promise<string>;
}

export interface HomeOptions {
  /** an administrator `root` with the password in `rootPassword`; true unless said otherwise. All are one node, but for those of `own` */
  readonly initialised?: boolean | 'own';
  readonly serveEnv?: NodeJS.ProcessEnv;
  /** what the server serves, when not all services and nothing else */
  readonly services?: readonly Service[];
  /** makes the data directory, instead of what `initialised` says */
  readonly make?: (dataDir: string) => Promise<void>;
  /** what the store holds already when the server starts */
  readonly prepare?: (context: Context) => Promise<void>;
  /** hears what the server logs */
  readonly log?: Log;
}

export const rootPassword = root.password;

export async function openHome(
  way: WayIn,
  { initialised = true, serveEnv = {}, services, make, prepare, log }: HomeOptions = {},
): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-cli-'));
  const dataDir = join(folder, 'data');
  const local: NodeJS.ProcessEnv = {
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    CONCLAVE_DATA_DIR: dataDir,
    TMPDIR: folder,
    TZ: 'UTC',
  };
  if (make !== undefined) await make(dataDir);
  else if (initialised === 'own') await makeHome(dataDir);
  else if (initialised) await lendHome(dataDir);
  if (prepare !== undefined) {
    const { config, secrets } = await loadConfig({ flags: {}, env: local });
    await using engine = await openEngine(config, secrets, { log: silentLog });
    await prepare(engine.context);
  }
  const server = way === 'process' ? undefined : await startServer({ ...local, ...serveEnv }, services, log);
  const { CONCLAVE_DATA_DIR: _, ...elsewhere } = local;
  const env = way === 'url' ? { ...elsewhere, CONCLAVE_SERVER: server?.ready.url } : local;
  return {
    folder,
    dataDir,
    env,
    ready: server?.ready,
    run: (command, argv = [], options = {}) =>
      runCommand(command, argv, { ...options, env: { ...env, ...options.env } }),
    operate: (command, argv = [], options = {}) =>
      runCommand(command, argv, { ...options, env: { ...local, ...options.env } }),
    async file(name, text) {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    },
    async [Symbol.asyncDispose]() {
      await server?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startServer(
  env: NodeJS.ProcessEnv,
  services?: readonly Service[],
  log: Log = silentLog,
): Promise<{ ready: Ready; stop(): Promise<void> }> {
  const { config, secrets } = await loadConfig({
    flags: { port: '0' },
    env: { CONCLAVE_RATE_LIMITS: 'off', CONCLAVE_SERVER_DRAIN: '100ms', ...env },
  });
  const options = { command: 'conclave serve', log, ...(services !== undefined && { services }) };
  const engine = await openEngine({ ...config, ...cheapCosts(config) }, secrets, options);
  const stopping = new AbortController();
  let served: Promise<void> | undefined;
  const ready = await new Promise<Ready>((resolve, reject) => {
    served = serve(engine, { signal: stopping.signal, onReady: resolve });
    served.catch(reject);
  });
  return {
    ready,
    async stop() {
      stopping.abort();
      await served;
      await engine[Symbol.asyncDispose]();
    },
  };
}
