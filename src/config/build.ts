import { ratesOf } from './rate-options.ts';
import { isIP } from 'node:net';
import type { FieldProblem } from '../base/problem.ts';
import type { Config } from './config.ts';
import type { Values } from './options.ts';
import { nodeSecretPath } from './paths.ts';
import { serviceConfigOf } from './service-options.ts';

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
  return found;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
