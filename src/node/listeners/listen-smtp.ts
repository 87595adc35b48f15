import { hostname } from 'node:os';
import type { Engine } from '../engine.ts';
import type { ByteBudget } from '../../http/byte-budget.ts';
import type { Limits } from '../../http/limits.ts';
import type { SmtpListener } from '../../http/smtp/server.ts';
import type { Config } from '../../config/config.ts';
import type { Log } from '../../base/log.ts';
import { serverCertificate, type ServerCertificate } from './certificate.ts';
import { createDoor } from './door.ts';
import { addressProblem } from './listen.ts';

/** Where programs submit e-mail. */
export interface SmtpReady {
  readonly host: string;
  readonly port: number;
  readonly tls: 'starttls' | 'implicit' | 'off';
  /** SHA-256 of the certificate, in hex with colons; undefined without TLS */
  readonly fingerprint: string | undefined;
}

export interface SmtpListening extends AsyncDisposable, Pick<SmtpListener, 'drain' | 'renew'> {
  readonly ready: SmtpReady;
}

/** @returns undefined without TLS @throws Problem invalid CERTIFICATE_INVALID */
export async function smtpCertificate(config: Config, now: number, log: Log): Promise<ServerCertificate | undefined> {
  const { host, tls } = config.smtp;
  if (tls === 'off') return undefined;
  return await serverCertificate({ ...config, host, tls: config.tls ?? 'self-signed' }, now, log);
}

/**
 * Listens for SMTP if the configuration says so.
 *
 * @throws Problem unavailable PORT_IN_USE, invalid PORT_UNUSABLE, HOST_UNUSABLE or CERTIFICATE_INVALID
 */
export async function listenSmtp(
  { context, services }: Engine,
  { limits, bytes }: { readonly limits: Limits; readonly bytes: ByteBudget },
): Promise<SmtpListening | undefined> {
  const { config, log, clock } = context;
  const { enabled, host, tls } = config.smtp;
  if (!enabled) return undefined;
  const submission = await services.find((one) => one.submission !== undefined)?.submission?.(context);
  if (submission === undefined) throw new Error('no service takes e-mail');
  const certificate = await smtpCertificate(config, clock.now(), log);
  const { openSmtp } = await import('../../http/smtp/server.ts');
  const door = createDoor({ perAddress: config.server.connectionsPerAddress, proxied: { trustedProxies: [] } });
  const name = config.mail.domain ?? hostname();
  const listener = await opened(
    async () => await openSmtp(context, { submission, limits, bytes, door, certificate: certificate?.pair, name }),
    config.smtp,
  );
  const { port } = listener;
  log.info('listening for SMTP', { host, port, tls });
  return {
    ready: { host, port, tls, fingerprint: certificate?.fingerprint },
    drain: async (withinMs) => await listener.drain(withinMs),
    renew: (next) => listener.renew(next),
    [Symbol.asyncDispose]: async () => await listener[Symbol.asyncDispose](),
  };
}

async function opened<T>(
  open: () => Promise<T>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const failed = error as NodeJS.ErrnoException;
    if (failed.syscall !== 'listen' && failed.syscall !== 'getaddrinfo') throw error;
    throw addressProblem(failed, host, port, {
      host: '--smtp-host',
      port: '--smtp-port',
      variable: 'CONCLAVE_SMTP_PORT',
    });
  }
}
