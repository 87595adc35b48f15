import type { Server as TlsServer } from 'node:https';
import type { Server } from 'node:http';
import type { Engine } from '../engine.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { overwriteConfig, reloadConfig } from '../../config/reload.ts';
import { relayPassword } from '../../platform/outbound/relay-password.ts';
import { serverCertificate } from './certificate.ts';
import { smtpCertificate, type SmtpListening } from './listen-smtp.ts';

/** Where a server gets its configuration again. */
export interface Reloads {
  /** the configuration that the server began with */
  readonly loaded: LoadedConfig;
  /** @throws Problem invalid CONFIG_INVALID */
  read(): Promise<LoadedConfig>;
  /** @param listener called when the configuration shall be read again @returns a function that ends this */
  onRequest(listener: () => void): () => void;
}

/** What can change while the server runs. */
export interface Renewable {
  readonly server: Server;
  readonly smtp: SmtpListening | undefined;
  /** builds the rate limits again */
  readonly renewLimits: () => void;
}

/**
 * Reads the configuration again whenever that is wanted, and takes over all of what a running server can, or nothing. The result is in the
 * log and in the status.
 *
 * @returns a function that ends it and waits for what is under way
 */
export function watchReloads(engine: Engine, reloads: Reloads, parts: Renewable): () => Promise<void> {
  const { log, instance } = engine.context;
  // The running configuration holds parts of these, and is overwritten in place.
  let values = structuredClone(reloads.loaded.values);
  let running = Promise.resolve();

  async function reload(): Promise<void> {
    try {
      const { config, values: next, changed, waiting } = reloadConfig(values, await reloads.read());
      await takeOver(engine, config, parts);
      values = next;
      instance.reload = { refused: undefined, waiting };
      log.info('the configuration was read again', { changed });
      if (waiting.length > 0) log.warn('changed options need a restart', { waiting });
    } catch (error) {
      const refused = error instanceof Error ? error.message : String(error);
      instance.reload = { refused, waiting: instance.reload?.waiting ?? [] };
      log.error('the configuration was not taken over; the server goes on with the earlier one', { reason: refused });
    }
  }

  // One after the other: the last request sees the last change.
  const end = reloads.onRequest(() => void (running = running.then(reload)));
  return async () => {
    end();
    await running;
  };
}

/** Everything that can fail comes first. */
async function takeOver(
  { context }: Engine,
  config: LoadedConfig['config'],
  { server, smtp, renewLimits }: Renewable,
): Promise<void> {
  const now = context.clock.now();
  const certificate = await serverCertificate(config, now, context.log);
  await relayPassword(config.mail.relayPasswordFile);
  const forSmtp = smtp === undefined ? undefined : await smtpCertificate(config, now, context.log);
  overwriteConfig(context.config, config);
  renewLimits();
  if (certificate !== undefined) (server as TlsServer).setSecureContext(certificate.pair);
  if (forSmtp !== undefined) smtp?.renew(forSmtp.pair);
}
