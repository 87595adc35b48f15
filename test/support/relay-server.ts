import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface Relayed {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly secure: boolean;
  /** exact octets */
  readonly message: string;
}

export interface RelayServer extends AsyncDisposable {
  readonly port: number;
  /** what it took, in order */
  readonly taken: Relayed[];
  /** what it says of a recipient, by address; otherwise it takes them */
  readonly replies: Map<string, { readonly code: number; readonly text: string }>;
  /** so many connections end when their message is there, before it is answered */
  cuts: number;
}

/** A mail server as operators have one. @param options more of the library's, such as a certificate */
export async function openRelayServer(options: SMTPServerOptions = {}): Promise<RelayServer> {
  const taken: Relayed[] = [];
  const replies: RelayServer['replies'] = new Map();
  const sockets = new Set<Socket>();
  const relay: RelayServer = {
    port: 0,
    taken,
    replies,
    cuts: 0,
    [Symbol.asyncDispose]: async () => await new Promise<void>((resolve) => server.close(resolve)),
  };
  const server: SMTPServer = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    ...(options.cert === undefined && { hideSTARTTLS: true, allowInsecureAuth: true }),
    onAuth({ username, password }, _session, done) {
      if (username === 'node' && password === 'correct horse') done(null, { user: username });
      else done(Object.assign(new Error(`No entry, ${password}`), { responseCode: 535 }));
    },
    onRcptTo({ address }, _session, done) {
      const reply = replies.get(address);
      done(reply && Object.assign(new Error(reply.text), { responseCode: reply.code }));
    },
    onData(stream, { envelope, user, secure }, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => void pieces.push(piece));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        taken.push({ from, to, user, secure, message: Buffer.concat(pieces).toString('latin1') });
        if (relay.cuts === 0) return done();
        relay.cuts -= 1;
        for (const socket of sockets) socket.destroy();
      });
    },
    ...options,
  });
  // Clients that end a connection in its middle are none of its troubles.
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  Object.assign(relay, { port: (server.server.address() as AddressInfo).port });
  return relay;
}
