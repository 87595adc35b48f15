import type { RequestListener, Server } from 'node:http';
import { createServer as createProbe, type AddressInfo } from 'node:net';
import type { Listener } from 'listhen';
import { Problem } from '../../base/problem.ts';
import { isAnyHost, urlsOf } from './addresses.ts';
import type { TlsPair } from './tls-pair.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 chooses a free port */
  readonly port: number;
  readonly tls: TlsPair | undefined;
}

export interface Listening {
  readonly server: Server;
  readonly port: number;
  /** the URL for display */
  readonly url: string;
  /** all URLs under which the server can be reached */
  readonly urls: readonly string[];
}

/** Maximum number of attempts to find a free port, because another process may take it first. */
const TRIES = 5;

/**
 * Listens with listhen on exactly this host and port.
 *
 * @throws Problem unavailable PORT_IN_USE, invalid PORT_UNUSABLE or HOST_UNUSABLE
 */
export async function listenTcp(handler: RequestListener, { host, port, tls }: ListenOptions): Promise<Listening> {
  if (isBadPort(port)) {
    throw new Problem(
      'invalid',
      'PORT_UNUSABLE',
      `Port ${port} belongs to another protocol, so browsers refuse it. Choose another port with --port.`,
    );
  }
  const { listen } = await import('listhen');
  for (let tries = 1; ; tries += 1) {
    // listhen does not say why a port is not available, uses 3000 instead of 0, and rejects some host names. So host and port are
    // resolved here first.
    const free = await probe(host, port);
    try {
      const listening = listen(handler, {
        port: free.port,
        hostname: free.address,
        public: isAnyHost(free.address),
        ...(tls !== undefined && { https: tls }),
        isProd: true,
        isTest: false,
        showURL: false,
        autoClose: false,
      });
      const listener = await listenerOf(listening);
      keepOnly(handler, listener.server);
      return listeningAt(listener, host, free.port, tls !== undefined);
    } catch (error) {
      if (!isListenError(error)) throw error;
      if (port !== 0 || tries === TRIES) throw addressProblem(error, host, port);
    }
  }
}

/**
 * Removes the hook of `http-shutdown`, which listhen installs. The hook reads the socket of every answered request. That socket is null if
 * the body was given up (too large, client gone), and the exception would end the process. So any client could end the process. Stopping
 * is implemented in connections.ts instead.
 */
function keepOnly(handler: RequestListener, server: Server): void {
  server.removeAllListeners('request').on('request', handler);
}

function listeningAt({ server, address }: Listener, host: string, wanted: number, secure: boolean): Listening {
  if (address.port !== wanted) {
    server.close();
    throw new Problem('invalid', 'PORT_UNUSABLE', `Port ${wanted} cannot be used. Choose another port with --port.`);
  }
  const [url, ...others] = urlsOf(host, address.port, secure);
  return { server, port: address.port, url, urls: [url, ...others] };
}

async function probe(host: string, port: number): Promise<AddressInfo> {
  const server = createProbe();
  return await new Promise((resolve, reject) => {
    server.once('error', (error) => reject(addressProblem(error, host, port)));
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address() as AddressInfo;
      server.close(() => resolve(address));
    });
  });
}

/**
 * Returns the listener, or throws an error that listhen misses. If another process takes the port between listhen's check and its bind, the
 * server emits `error` without a listener, which becomes an uncaught exception.
 */
async function listenerOf(listening: Promise<Listener>): Promise<Listener> {
  let failed: (error: Error) => void = () => undefined;
  const uncaught = new Promise<never>((_resolve, reject) => {
    failed = reject;
  });
  function onUncaught(error: unknown): void {
    if (!isListenError(error)) throw error;
    failed(error);
  }
  process.on('uncaughtException', onUncaught);
  try {
    return await Promise.race([listening, uncaught]);
  } finally {
    process.off('uncaughtException', onUncaught);
  }
}

function isListenError(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error)) return false;
  return (error as NodeJS.ErrnoException).syscall === 'listen' || error.name === 'GetPortError';
}

/** The names of what says where to listen. */
interface AddressFlags {
  readonly host: string;
  readonly port: string;
  /** of the port */
  readonly variable: string;
}

/** Why it is not possible to listen at an address, in terms of the flags that name it. */
export function addressProblem(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  flags: AddressFlags = { host: '--host', port: '--port', variable: 'CONCLAVE_PORT' },
): Problem {
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  switch (error.code) {
    case 'EACCES':
      return new Problem(
        'invalid',
        'PORT_UNUSABLE',
        `This user may not listen on ${place}. Choose a port from 1024 up with ${flags.port}.`,
        { cause: error },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Problem(
        'invalid',
        'HOST_UNUSABLE',
        `${host} is not an address of this machine. Choose another address with ${flags.host}.`,
        { cause: error },
      );
    default:
      return new Problem(
        'unavailable',
        'PORT_IN_USE',
        `Port ${port} on ${host} is taken by another program. Stop it, or choose another port with ${flags.port} or ${flags.variable} (0 takes any free one).`,
        { cause: error },
      );
  }
}

/** Ports that browsers, `fetch` and listhen refuse, because other protocols use them (WHATWG Fetch, "bad port"). */
const badPorts: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

function isBadPort(port: number): boolean {
  return badPorts.has(port);
}
