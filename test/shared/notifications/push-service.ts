import { createECDH, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Outgoing } from '../../../src/service/ports/outbound.ts';
import { selfSignedCertificate } from '../../../src/node/listeners/self-signed.ts';
import { decryptPush } from './decrypt-push.ts';

const HOST = 'push.example.net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** as it came */
  readonly body: Buffer;
  /** what the browser reads */
  // oxlint-disable-next-line typescript/no-explicit-any -- messages of every shape
  readonly message: any;
}

/** A browser, as far as push messages go. */
export interface Browser {
  readonly path: string;
  /** what `PushSubscription.toJSON()` gives */
  readonly subscription: {
    readonly endpoint: string;
    readonly keys: { readonly p256dh: string; readonly auth: string };
  };
}

export interface PushService extends AsyncDisposable {
  /** what came, in order */
  readonly received: Received[];
  /** answers the next requests so, then 201 again; a number is a status */
  readonly answers: (number | { readonly status: number; readonly headers: Record<string, string> } | 'hang')[];
  /** how the node reaches it: by a name that has its address alone */
  readonly outgoing: Outgoing;
  /** how often the name was resolved */
  readonly lookups: () => number;
  /** what the name resolves to from now on */
  resolveTo(addresses: readonly string[]): void;
  readonly port: number;
  browser(): Browser;
}

/** A push service on this machine, with browsers that decrypt. */
export async function openPushService(): Promise<PushService> {
  const { certificate, key } = await selfSignedCertificate([HOST], Date.now());
  const browsers = new Map<string, { privateKey: Buffer; publicKey: Buffer; auth: Buffer }>();
  const received: Received[] = [];
  const answers: PushService['answers'] = [];
  let addresses: readonly string[] = ['127.0.0.1'];
  let lookups = 0;
  const server: Server = createServer({ key, cert: certificate }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => void pieces.push(piece));
    request.on('end', () => {
      const path = request.url ?? '';
      const body = Buffer.concat(pieces);
      const browser = browsers.get(path);
      const message: unknown = browser === undefined ? undefined : JSON.parse(decryptPush(browser, body).toString());
      received.push({ path, headers: request.headers, body, message });
      const answer = answers.shift() ?? 201;
      if (answer === 'hang') return;
      const { status, headers } = typeof answer === 'number' ? { status: answer, headers: {} } : answer;
      response.writeHead(status, headers).end('whatever');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    received,
    answers,
    port,
    lookups: () => lookups,
    resolveTo: (others) => void (addresses = others),
    outgoing: {
      lookup: async (hostname) => {
        lookups += 1;
        return hostname === HOST ? addresses : [];
      },
      allows: (address) => address === '127.0.0.1',
      ca: [certificate],
    },
    browser() {
      const ecdh = createECDH('prime256v1');
      const publicKey = ecdh.generateKeys();
      const auth = randomBytes(16);
      const path = `/wpush/${randomBytes(12).toString('hex')}`;
      browsers.set(path, { privateKey: ecdh.getPrivateKey(), publicKey, auth });
      const [p256dh, secret] = [publicKey, auth].map((bytes) => bytes.toString('base64url')) as [string, string];
      return { path, subscription: { endpoint: `https://${HOST}:${port}${path}`, keys: { p256dh, auth: secret } } };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
