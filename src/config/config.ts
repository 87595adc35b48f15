import type { LimitName } from '../contract/rates.ts';
import type { LogLevel } from '../base/log.ts';
import type { Rate } from './kinds.ts';
import type { ServiceConfig } from './service-options.ts';

/** The configuration, read once. It contains no secrets. The settings of services are declared in their folders. */
export interface Config extends ServiceConfig {
  readonly dataDir: string;
  readonly nodeSecretFile: string;
  /** URL of a PostgreSQL server, without its password; undefined: the embedded store */
  readonly database: string | undefined;
  readonly host: string;
  readonly port: number;
  /** undefined: plain HTTP */
  readonly tls: 'self-signed' | TlsFiles | undefined;
  /** names and addresses in a self-signed certificate, in addition to localhost and the host */
  readonly tlsNames: readonly string[];
  /** submission of e-mail over SMTP */
  readonly smtp: {
    readonly enabled: boolean;
    readonly host: string;
    readonly port: number;
    readonly tls: 'starttls' | 'implicit' | 'off';
  };
  /** whether `/metrics` is also served over TCP */
  readonly metrics: boolean;
  readonly corsOrigins: readonly string[];
  /** addresses or CIDR ranges whose forwarding headers are trusted */
  readonly trustedProxies: readonly string[];
  /** the network between nodes; addresses are multiaddrs */
  readonly network: {
    readonly enabled: boolean;
    readonly listen: readonly string[];
    readonly peers: readonly string[];
    /** the addresses that other nodes are told instead of `listen`, unless the list is empty */
    readonly announce: readonly string[];
  };
  /** the pauses between attempts to send messages to a node, in milliseconds */
  readonly outbox: { readonly retryMs: { readonly least: number; readonly most: number } };
  readonly log: { readonly level: LogLevel; readonly format: 'json' | 'text' };
  readonly limits: {
    readonly enabled: boolean;
    readonly rates: Readonly<Record<LimitName, Rates>>;
    /** maximum bytes of a JSON body, unless the operation has its own limit */
    readonly jsonBody: number;
    /** maximum bytes of requests and answers in memory at the same time */
    readonly bytes: { readonly perAddress: number; readonly perAccount: number; readonly total: number };
  };
  /** limit for the stored content of members, over all services */
  readonly storage: { readonly perMemberBytes: number };
  /** how much heavy work runs at the same time, and how much may wait */
  readonly heavy: { readonly atOnce: number; readonly queued: number };
  readonly server: {
    readonly headersTimeoutMs: number;
    readonly requestTimeoutMs: number;
    readonly keepAliveMs: number;
    readonly maxConnections: number;
    readonly connectionsPerAddress: number;
    /** the minimum speed of an incoming body, enforced after the grace period */
    readonly bodyPace: { readonly bytesPerSecond: number; readonly graceMs: number };
    readonly drainMs: number;
  };
}

/** Paths of PEM files. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** its first line opens the key; undefined: the key is not encrypted */
  readonly keyPassphraseFile: string | undefined;
}

export interface Rates {
  readonly perAccount: Rate | undefined;
  readonly perAddress: Rate | undefined;
}
