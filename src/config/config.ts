import type { LimitName } from '../contract/rates.ts';
import type { LogLevel } from '../log.ts';

/** The configuration, read once. It contains no secrets. */
export interface Config {
  readonly dataDir: string;
  readonly nodeSecretFile: string;
  /** URL of a PostgreSQL server, without its password; undefined: the embedded store */
  readonly database: string | undefined;
  readonly host: string;
  readonly port: number;
  /** undefined: plain HTTP */
  readonly tls: 'self-signed' | { readonly certFile: string; readonly keyFile: string } | undefined;
  /** names and addresses in a self-signed certificate, in addition to localhost and the host */
  readonly tlsNames: readonly string[];
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
  readonly log: { readonly level: LogLevel; readonly format: 'json' | 'text' };
  readonly limits: {
    readonly enabled: boolean;
    readonly rates: Readonly<Record<LimitName, Rates>>;
    /** maximum bytes of a JSON body, unless the operation has its own limit */
    readonly jsonBody: number;
    /** maximum bytes of requests and answers in memory at the same time */
    readonly bytes: { readonly perAddress: number; readonly perAccount: number; readonly total: number };
  };
  readonly sessions: { readonly lifetimeMs: number; readonly refreshGraceMs: number; readonly challengeMs: number };
  readonly passwords: {
    readonly memoryKib: number;
    readonly passes: number;
    readonly lanes: number;
    readonly pbkdf2Iterations: number;
  };
  /** limit for the stored content of members, over all services */
  readonly storage: { readonly perMemberBytes: number };
  /** password vaults */
  readonly vaults: {
    readonly bcryptRounds: number;
    readonly idleMs: number;
    /** the time in which an owner can deny an emergency recovery by others; 0: the owner can't deny it */
    readonly emergencyWaitMs: number;
    /** base of the range service for breached passwords */
    readonly breachUrl: string;
    /** path of a local copy of its list, used instead of the service */
    readonly breachList: string | undefined;
  };
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

export interface Rates {
  readonly perAccount: Rate | undefined;
  readonly perAddress: Rate | undefined;
}

export interface Rate {
  readonly points: number;
  readonly seconds: number;
}
