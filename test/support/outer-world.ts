import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Outgoing } from '../../src/service/ports/outbound.ts';
import { selfSignedCertificate } from '../../src/node/listeners/self-signed.ts';

const HOST = 'calendars.example.net';
/** Its name leads to this machine too, but the node may not connect to where it leads. */
const INNER = 'inner.example.net';

export interface OuterAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** as it is sent; of several pieces one after another */
  readonly body?: string | Uint8Array | readonly Uint8Array[];
  /** the connection is broken off after the body */
  readonly breaksOff?: boolean;
}

/** What a server answers, or what decides it. */
type Answering = OuterAnswer | 'hang' | ((headers: IncomingHttpHeaders) => OuterAnswer | Promise<OuterAnswer>);

export interface OuterWorld extends AsyncDisposable {
  readonly outgoing: Outgoing;
  readonly port: number;
  /** what came, in order */
  readonly received: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** by path; the rest is 404 */
  readonly answers: Map<string, Answering>;
  url(path: string, host?: string): string;
  /** the same at a host that is in a private network */
  innerUrl(path: string): string;
  /** what the name resolves to from now on */
  resolveTo(addresses: readonly string[]): void;
}

/** A server somewhere else, on this machine. */
export async function openOuterWorld(): Promise<OuterWorld> {
  const { certificate, key } = await selfSignedCertificate([HOST, INNER], Date.now());
  const received: OuterWorld['received'] = [];
  const answers: OuterWorld['answers'] = new Map();
  let addresses: readonly string[] = ['127.0.0.1'];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url: path = '', headers } = request;
    received.push({ path, headers });
    const found = answers.get(path) ?? { status: 404 };
    if (found === 'hang') return;
    const given = typeof found === 'function' ? await found(headers) : found;
    const { status = 200, headers: said = {}, body = '', breaksOff = false } = given;
    response.writeHead(status, said);
    for (const piece of Array.isArray(body) ? (body as readonly Uint8Array[]) : [body as string]) response.write(piece);
    if (breaksOff) setImmediate(() => response.destroy());
    else response.end();
  };
  const server: Server = createServer(
    { key, cert: certificate },
    (request, response) => void answer(request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    received,
    answers,
    port,
    url: (path, host = HOST) => `https://${host}:${port}${path}`,
    innerUrl: (path) => `https://${INNER}:${port}${path}`,
    resolveTo: (others) => void (addresses = others),
    outgoing: {
      lookup: async (hostname) => {
        if (hostname === INNER) return ['127.0.0.2'];
        return hostname === HOST ? addresses : [];
      },
      allows: (address) => address === '127.0.0.1',
      ca: [certificate],
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
