import { controlSocketPath } from '../config/paths.ts';
import { connectToSocket, remoteTransport, socketTransport } from './http-transport.ts';
import { isLoopback, serverName } from './server-address.ts';
import { chooseTarget, type Target, type TargetChoice } from './target.ts';
import type { Transport } from './transport.ts';

export interface ConnectionOptions extends TargetChoice {
  /** the command that asks, for whoever finds the store locked by it */
  readonly command: string;
  readonly create?: boolean;
}

/** How a command reaches the API. */
export interface Connection {
  readonly transport: Transport;
  /** for messages */
  readonly place: string;
  /** what a sign-in there is kept under */
  readonly server: string;
  readonly kind: 'remote' | 'socket' | 'process';
  /** the data directory, where the API is on this machine */
  readonly dataDir: string | undefined;
  /** passwords and tokens would travel readable */
  readonly exposed: boolean;
  /** mints a token of type System, where this process can read the node secret */
  readonly operatorToken: (() => Promise<string>) | undefined;
}

/** How long a command waits for another one that has the store open for a moment. */
const patienceMs = 5_000;
const betweenTriesMs = 50;

/** A remote server; else the running server of the data directory; else the store itself, opened in this process. */
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
      // Another short command, or a server that is starting and will listen in a moment.
      if (!isStoreInUse(error) || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, betweenTriesMs));
    }
  }
}
