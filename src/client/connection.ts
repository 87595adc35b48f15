import { controlSocketPath, defaultDataDir } from '../config/paths.ts';
import { connectToSocket, remoteTransport, socketTransport } from './http-transport.ts';
import { isLoopback, serverName, parseServer } from './server-address.ts';
import type { Transport } from './transport.ts';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { readServerChoice } from './server-choice.ts';
import { signInFolder } from './sign-ins.ts';

export interface ConnectionOptions extends TargetChoice {
  /** the name of this command, for another process that finds the store locked by it */
  readonly command: string;
  readonly create?: boolean;
}

/** How a command reaches the API. */
export interface Connection {
  readonly transport: Transport;
  /** a name for messages */
  readonly place: string;
  /** the key under which the sign-in is stored */
  readonly server: string;
  readonly kind: 'remote' | 'socket' | 'process';
  /** the data directory, if the API is on this machine */
  readonly dataDir: string | undefined;
  /** whether passwords and tokens would travel unencrypted */
  readonly exposed: boolean;
  /** creates a token of type System, if this process can read the node secret */
  readonly operatorToken: (() => Promise<string>) | undefined;
}

/** Milliseconds that a command waits for another command that has the store open. */
const patienceMs = 5_000;
const betweenTriesMs = 50;

/** Uses a remote server; otherwise the running server of the data directory; otherwise the store itself, opened in this process. */
export async function findConnection(options: ConnectionOptions): Promise<Connection> {
  const target = await chooseTarget(options);
  return target.kind === 'remote' ? await remoteConnection(target) : await localConnection(target.dataDir, options);
}

async function remoteConnection({ address, ca }: Extract<Target, { kind: 'remote' }>): Promise<Connection> {
  const trust = ca === undefined ? undefined : await (await import('./trust.ts')).readTrust(ca);
  const server = serverName(address);
  return {
    transport: remoteTransport(address, trust),
    place: server,
    server,
    kind: 'remote',
    dataDir: undefined,
    exposed: address.protocol === 'http:' && !isLoopback(address),
    operatorToken: undefined,
  };
}

async function localConnection(dataDir: string, options: ConnectionOptions): Promise<Connection> {
  const common = { server: `local:${dataDir}`, dataDir, exposed: false };
  const socketPath = controlSocketPath(dataDir);
  const until = Date.now() + patienceMs;
  for (;;) {
    const socket = await connectToSocket(socketPath);
    if (socket !== undefined) {
      const place = `the server on ${dataDir}`;
      const operatorToken = async () => await (await import('./operator-token.ts')).operatorToken(dataDir, options);
      return { ...common, transport: socketTransport(socketPath, socket), place, kind: 'socket', operatorToken };
    }
    const { isStoreInUse, localTransport } = await import('./local-transport.ts');
    const { loadConfig } = await import('../config/load.ts');
    const { config, database, env, command, create = false } = options;
    const loaded = await loadConfig({ flags: { 'data-dir': dataDir, config, database }, env });
    try {
      const transport = await localTransport({ loaded, command, create });
      return { ...common, transport, place: dataDir, kind: 'process', operatorToken: () => transport.operatorToken() };
    } catch (error) {
      // Another command has the store open for a moment, or a server is starting.
      if (!isStoreInUse(error) || Date.now() > until) throw error;
      await new Promise((retry) => setTimeout(retry, betweenTriesMs));
    }
  }
}

/** Flags and variables that choose the target of a command's calls, in the order of priority. */
export interface TargetChoice {
  readonly server?: string | undefined;
  readonly dataDir?: string | undefined;
  /** a configuration file, which may name the data directory */
  readonly config?: string | undefined;
  /** a PostgreSQL database instead of the embedded store, if no server runs */
  readonly database?: string | undefined;
  /** certificate authority or fingerprint, see trust.ts */
  readonly ca?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** whether the command works on this machine and ignores the server that other commands use */
  readonly here?: boolean | undefined;
}

export type Target =
  | { readonly kind: 'remote'; readonly address: URL; readonly ca: string | undefined }
  | { readonly kind: 'local'; readonly dataDir: string };

/** Variables that choose the store on this machine. */
const localVariables = ['CONCLAVE_DATA_DIR', 'CONCLAVE_CONFIG', 'CONCLAVE_DATABASE'] as const;

/**
 * Chooses the target. A flag has priority over a variable, and a server over a data directory. The server of the last sign-in with
 * `--server` has the lowest priority.
 */
export async function chooseTarget(choice: TargetChoice): Promise<Target> {
  const { env, here = false } = choice;
  const local = here || choice.dataDir !== undefined || choice.config !== undefined || choice.database !== undefined;
  const named = choice.server ?? (local ? undefined : env['CONCLAVE_SERVER'] || undefined);
  if (named === undefined && (local || localVariables.some((name) => env[name])))
    return { kind: 'local', dataDir: await localDataDir(choice) };
  const { current, servers } = await readServerChoice(signInFolder(env));
  const server = named ?? current;
  if (server === undefined) return { kind: 'local', dataDir: await localDataDir(choice) };
  const address = parseServer(server);
  const kept = Object.entries(servers).find(([name]) => name === serverName(address))?.[1].ca;
  return { kind: 'remote', address, ca: choice.ca ?? (env['CONCLAVE_CA'] || kept) };
}

/** Reads the configuration only if nothing else gives the data directory, because this takes a tenth of the time of a short command. */
async function localDataDir({ dataDir, config, env }: TargetChoice): Promise<string> {
  if (dataDir !== undefined) return resolve(dataDir);
  if (config !== undefined || env['CONCLAVE_CONFIG']) {
    const { loadConfig } = await import('../config/load.ts');
    return (await loadConfig({ flags: { config }, env })).config.dataDir;
  }
  return resolve(env['CONCLAVE_DATA_DIR'] || defaultDataDir(env, homedir()));
}
