import { choice, DAY, duration, HOUR, host, integer, list, network, onOff, origin, path, size } from './kinds.ts';
import { listenAddress, peerAddress } from './multiaddrs.ts';
import { set, unset, type Option } from './option.ts';
import { rateOptions } from './rate-options.ts';
import { databaseLocation } from './secrets.ts';
import { serviceOptions } from './service-options.ts';

const flag = { flag: true } as const;
const reloads = { reloads: true } as const;

/** All options. Sources of the numbers: the interface documents, RFC 6454. */
export const options = {
  dataDir: unset('data_dir', path, 'Folder of the store, the node secret and the control socket', flag),
  nodeSecretFile: unset(
    'node_secret_file',
    path,
    'File of the node secret; by default node.secret in the data directory',
  ),
  database: unset(
    'database',
    databaseLocation,
    'postgres:// URL of a PostgreSQL database instead of the embedded store',
    flag,
  ),
  databasePasswordFile: unset(
    'database_password_file',
    path,
    'File whose first line is the password of the PostgreSQL database',
  ),
  host: set('host', host, '127.0.0.1', 'Address or host name to listen on', flag),
  port: set('port', integer(0, 65_535), '7878', 'Port to listen on; 0 takes any free one', flag),
  tls: set(
    'tls',
    choice('off', 'self-signed'),
    'off',
    'HTTPS with a self-signed certificate that the node makes',
    flag,
  ),
  tlsCert: unset('tls_cert', path, 'File of the certificate (PEM) for HTTPS', { ...flag, ...reloads }),
  tlsKey: unset('tls_key', path, 'File of the private key (PEM) for HTTPS', { ...flag, ...reloads }),
  tlsKeyPassphraseFile: unset(
    'server.tls_key_passphrase_file',
    path,
    'File whose first line is the passphrase of tls_key, if the key is encrypted',
    reloads,
  ),
  tlsNames: set(
    'tls_names',
    list((item) => host.parse(item)),
    '',
    'More names and addresses for the self-signed certificate',
  ),
  smtp: set('smtp', onOff, 'off', 'Take e-mail from programs of members, over SMTP (submission)', flag),
  smtpHost: set('smtp_host', host, '127.0.0.1', 'Address or host name to listen on for SMTP', flag),
  smtpPort: set('smtp_port', integer(0, 65_535), '2587', 'Port to listen on for SMTP; 0 takes any free one', flag),
  smtpTls: set(
    'smtp_tls',
    choice('starttls', 'implicit', 'off'),
    'starttls',
    'How SMTP is encrypted, with the certificate of HTTPS or a self-signed one; off only on loopback',
    flag,
  ),
  metrics: set('metrics', onOff, 'off', 'Serve /metrics over TCP as well as on the control socket', flag),
  corsOrigins: set(
    'cors_origins',
    list(origin),
    '',
    'Origins whose pages may call this server from a browser (CORS)',
    flag,
  ),
  trustedProxies: set(
    'trusted_proxies',
    list(network),
    '',
    'Addresses or ranges of proxies whose X-Forwarded-For is trusted',
    { ...flag, ...reloads },
  ),
  network: set('network.enabled', onOff, 'off', 'Connect to the other nodes of the pool', flag),
  networkListen: set(
    'network.listen',
    list(listenAddress),
    '/ip4/127.0.0.1/tcp/7879',
    'Where other nodes connect: host:port or multiaddrs, with /ws at the end for WebSocket; port 0 takes any free one',
    flag,
  ),
  networkPeers: set('network.peers', list(peerAddress), '', 'Nodes to connect to: host:port or multiaddrs', flag),
  networkAnnounce: set(
    'network.announce',
    list(peerAddress),
    '',
    'Addresses at which other nodes reach this node, if they differ from those that it listens on',
    flag,
  ),
  outboxRetryFirst: set(
    'outbox.retry_first',
    duration(100, HOUR),
    '5s',
    'First pause before messages are sent again to a node that could not be reached; each later one is twice as long',
  ),
  outboxRetryLongest: set('outbox.retry_longest', duration(100, DAY), '1h', 'Longest of these pauses'),
  rateLimits: set('rate_limits', onOff, 'on', 'Rate limits; turn them off only for load tests on loopback', {
    ...flag,
    ...reloads,
  }),
  ...rateOptions(),
  jsonBody: set(
    'limits.json_body',
    size(1_024, 64 * 1024 ** 2),
    '1MiB',
    'Largest JSON body, unless the operation has its own limit',
    reloads,
  ),
  bytesPerAddress: set(
    'limits.bytes.per_address',
    size(1024 ** 2, 1024 ** 4),
    '96MiB',
    'Memory for bodies and large answers of one address; a single one may be larger',
    reloads,
  ),
  bytesPerAccount: set(
    'limits.bytes.per_account',
    size(1024 ** 2, 1024 ** 4),
    '96MiB',
    'Memory for bodies and large answers of one member, from all addresses',
    reloads,
  ),
  bytesTotal: set(
    'limits.bytes.total',
    size(1024 ** 2, 1024 ** 4),
    '256MiB',
    'Memory for all bodies and large answers; a quarter is reserved for callers who use little',
    reloads,
  ),
  storagePerMember: set(
    'storage.per_member',
    size(0, 1024 ** 5),
    '10GiB',
    'Storage quota of a member; it counts the attachments in their password vaults',
    reloads,
  ),
  ...serviceOptions(),
  // Node's thread pool has 4 threads, and file access and name resolution need some of them as well.
  heavyAtOnce: set(
    'heavy.at_once',
    integer(1, 64),
    '2',
    'Password hashes computed at once (more need a larger UV_THREADPOOL_SIZE)',
  ),
  heavyQueued: set(
    'heavy.queued',
    integer(0, 100_000),
    '256',
    'Password hashes that may wait; further requests are answered with 503',
  ),
  headersTimeout: set('server.headers_timeout', duration(100, HOUR), '15s', 'Time for a client to send its headers'),
  requestTimeout: set(
    'server.request_timeout',
    duration(100, DAY),
    '2m',
    'Time for a client to send its whole request, and to take the answer; connections without progress are closed',
  ),
  keepAlive: set('server.keep_alive', duration(100, HOUR), '65s', 'How long an idle connection stays open'),
  maxConnections: set(
    'server.max_connections',
    integer(1, 1_000_000),
    '10000',
    'Connections at once; further ones are closed',
  ),
  connectionsPerAddress: set(
    'server.connections_per_address',
    integer(1, 1_000_000),
    '256',
    'Connections at once from one address; trusted proxies are not counted',
  ),
  bodyRate: set(
    'server.body_rate',
    size(1, 1024 ** 3),
    '4KiB',
    'Least bytes per second of a body or a large answer; slower connections are closed',
  ),
  bodyGrace: set(
    'server.body_grace',
    duration(100, HOUR),
    '10s',
    'How long a body or an answer may be slower than server.body_rate before its connection is closed',
  ),
  drain: set('server.drain', duration(0, HOUR), '10s', 'Time for running requests to finish when the server stops'),
  logLevel: set(
    'log.level',
    choice('debug', 'info', 'warn', 'error'),
    'info',
    'Lowest level that is logged; debug has a line for each request',
    { ...flag, ...reloads },
  ),
  logFormat: set('log.format', choice('json', 'text'), 'json', 'One JSON object a line, or text for people', flag),
} as const;

export type OptionName = keyof typeof options;

/** The value of every option, by the option's name. */
export type Values = { readonly [K in OptionName]: (typeof options)[K] extends Option<infer T> ? T : never };

export function variableOf(key: string): string {
  return `CONCLAVE_${key.replaceAll('.', '_').toUpperCase()}`;
}

export function flagOf(key: string): string {
  return key.replaceAll(/[._]/g, '-');
}
