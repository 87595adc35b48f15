import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { watchAppPasswords } from '../../shared/members/ended-app-passwords.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { createCommands, unknownCommands, type CommandParts } from './commands.ts';

export interface SmtpParts extends Omit<CommandParts, 'hangUp'> {
  /** a connection for which it says false is closed: its address has too many */
  readonly door: (socket: Socket) => boolean;
  /** undefined where `smtp_tls` is off */
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
  /** the domain with which the server greets */
  readonly name: string;
}

export interface SmtpListener extends AsyncDisposable {
  readonly port: number;
  /** Shows another certificate to connections that begin from now on. */
  renew(certificate: NonNullable<SmtpParts['certificate']>): void;
  /** Takes no more messages, and waits for those on their way. @param withinMs how long */
  drain(withinMs: number): Promise<void>;
}

/** Silence after which a connection is closed. RFC 5321, 4.5.3.2.7. */
const IDLE_MS = 5 * 60_000;

/**
 * Listens for messages that programs of members submit (RFC 6409). They sign in with app passwords, over TLS unless `smtp_tls` is off.
 *
 * @throws NodeJS.ErrnoException when the address is not available
 */
export async function openSmtp(ctx: Context, parts: SmtpParts): Promise<SmtpListener> {
  const { submission, certificate, name, door } = parts;
  const { smtp, server: bounds } = ctx.config;
  const sockets = new Set<Socket>();
  const commands = createCommands(ctx, { ...parts, hangUp });

  const server = new SMTPServer({
    ...commands.handlers,
    secure: smtp.tls === 'implicit',
    ...certificate,
    minVersion: 'TLSv1.2',
    name,
    banner: 'Conclave',
    size: submission.maxBytes,
    authMethods: ['PLAIN', 'LOGIN'],
    allowInsecureAuth: smtp.tls === 'off',
    disabledCommands: unknownCommands({ mayStart: smtp.tls === 'starttls' }),
    heloResponse: '%s',
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    maxClients: bounds.maxConnections,
    maxRecipients: submission.maxRecipients,
    socketTimeout: IDLE_MS,
    logger: false,
  });

  function hangUp(id: string, reason: string): void {
    for (const connection of server.connections) if (connection.id === id) connection.send(421, reason);
  }

  function hangUpOn(ended: (actor: Actor) => boolean): void {
    for (const [id, { actor }] of commands.sessions)
      if (actor !== undefined && ended(actor)) hangUp(id, 'The app password has ended.');
  }

  async function lookAgain(): Promise<void> {
    for (const [id, { actor }] of commands.sessions) {
      if (actor === undefined) continue;
      await assertStillSignedIn(ctx, actor).catch(() => hangUp(id, 'The app password has ended.'));
    }
  }

  // Errors of single connections: a client that went away, or no TLS.
  server.on('error', (error) => ctx.log.debug('an SMTP connection failed', { error }));
  server.server.prependListener('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (!door(socket)) socket.destroy();
  });
  const { port } = await listening(server, smtp.host, smtp.port);
  const watch = await watchAppPasswords(ctx.store, {
    onEnded: (ids) => hangUpOn(({ appPassword }) => appPassword !== undefined && ids.includes(appPassword)),
    onGap: () => void lookAgain(),
  });

  return {
    port,
    renew: (next) => server.updateSecureContext({ ...next }),
    async drain(withinMs) {
      // From now on every command is answered with 421; messages on their way are taken.
      server.close();
      for (const { id } of server.connections) if (!commands.sending.has(id)) hangUp(id, 'The server is stopping.');
      const enough = new AbortController();
      await Promise.race([commands.quiet(), sleep(withinMs, undefined, { signal: enough.signal })]);
      enough.abort();
    },
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]();
      const closed = new Promise<void>((resolve) => void server.server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function listening(server: SMTPServer, host: string, port: number): Promise<AddressInfo> {
  return await new Promise((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, host, () => resolve(server.server.address() as AddressInfo));
  });
}
