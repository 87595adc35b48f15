import { ratesOf } from './rate-options.ts';
import { isIP } from 'node:net';
import type { FieldProblem } from '../base/problem.ts';
import type { Config } from './config.ts';
import type { Values } from './options.ts';
import { nodeSecretPath } from './paths.ts';
import { serviceConfigOf, type ServiceConfig } from './service-options.ts';

/** Builds the typed configuration from checked values. */
export function buildConfig(values: Values, dataDir: string): Config {
  const { tlsCert, tlsKey, tlsKeyPassphraseFile } = values;
  const given =
    tlsCert !== undefined && tlsKey !== undefined
      ? { certFile: tlsCert, keyFile: tlsKey, keyPassphraseFile: tlsKeyPassphraseFile }
      : undefined;
  return {
    dataDir,
    nodeSecretFile: values.nodeSecretFile ?? nodeSecretPath(dataDir),
    database: values.database?.location,
    host: values.host,
    port: values.port,
    tls: given ?? (values.tls === 'self-signed' ? values.tls : undefined),
    tlsNames: values.tlsNames,
    smtp: { enabled: values.smtp, host: values.smtpHost, port: values.smtpPort, tls: values.smtpTls },
    metrics: values.metrics,
    corsOrigins: values.corsOrigins,
    trustedProxies: values.trustedProxies,
    network: {
      enabled: values.network,
      listen: values.networkListen,
      peers: values.networkPeers,
      announce: values.networkAnnounce,
    },
    outbox: { retryMs: { least: values.outboxRetryFirst, most: values.outboxRetryLongest } },
    log: { level: values.logLevel, format: values.logFormat },
    limits: {
      enabled: values.rateLimits,
      rates: ratesOf(values),
      jsonBody: values.jsonBody,
      bytes: { perAddress: values.bytesPerAddress, perAccount: values.bytesPerAccount, total: values.bytesTotal },
    },
    ...serviceConfigOf(values),
    storage: { perMemberBytes: values.storagePerMember },
    heavy: { atOnce: values.heavyAtOnce, queued: values.heavyQueued },
    server: {
      headersTimeoutMs: values.headersTimeout,
      requestTimeoutMs: values.requestTimeout,
      keepAliveMs: values.keepAlive,
      maxConnections: values.maxConnections,
      connectionsPerAddress: values.connectionsPerAddress,
      bodyPace: { bytesPerSecond: values.bodyRate, graceMs: values.bodyGrace },
      drainMs: values.drain,
    },
  };
}

/** Finds values that are valid alone but wrong in combination. */
export function contradictions(values: Values): FieldProblem[] {
  const found: FieldProblem[] = [];
  if ((values.tlsCert === undefined) !== (values.tlsKey === undefined)) {
    const missing = values.tlsCert === undefined ? 'tls_cert' : 'tls_key';
    found.push({ path: missing, message: 'is missing: a certificate needs a key, and a key a certificate' });
  }
  if (values.tlsKeyPassphraseFile !== undefined && values.tlsKey === undefined) {
    found.push({
      path: 'server.tls_key_passphrase_file',
      message: 'is the passphrase of a key, and tls_key names none',
    });
  }
  if (values.tls === 'self-signed' && values.tlsCert !== undefined) {
    found.push({ path: 'tls', message: 'is self-signed while tls_cert names a certificate; choose one' });
  }
  if (!values.rateLimits && !isLoopback(values.host)) {
    found.push({ path: 'rate_limits', message: 'may be off only where host is a loopback address, such as 127.0.0.1' });
  }
  if (values.smtpTls === 'off' && !isLoopback(values.smtpHost)) {
    found.push({
      path: 'smtp_tls',
      message: 'may be off only where smtp_host is a loopback address, such as 127.0.0.1',
    });
  }
  return [...found, ...relayContradictions(serviceConfigOf(values).mail)];
}

function relayContradictions({
  domain,
  relayHost,
  relayTls,
  relayUser,
  relayPasswordFile,
}: ServiceConfig['mail']): FieldProblem[] {
  const found: FieldProblem[] = [];
  const tell = (path: string, message: string): void => void found.push({ path: `mail.${path}`, message });
  if (relayHost === undefined) {
    if (relayUser !== undefined || relayPasswordFile !== undefined)
      tell(
        'relay.host',
        'is missing: mail.relay.user and mail.relay.password_file belong to the mail server that it names',
      );
    return found;
  }
  if (domain === undefined)
    tell(
      'domain',
      'is missing: mail over mail.relay.host comes from addresses of this domain, so that others can answer',
    );
  if (relayTls === 'off' && !isLoopback(relayHost))
    tell('relay.tls', 'may be off only where mail.relay.host is a loopback address, such as 127.0.0.1');
  if ((relayUser === undefined) !== (relayPasswordFile === undefined))
    tell(
      relayUser === undefined ? 'relay.user' : 'relay.password_file',
      'is missing: a sign-in at mail.relay.host needs a user and a file with the password',
    );
  return found;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
