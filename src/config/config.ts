import type { LimitName } from '../contract/rates.ts';
import type { LogLevel } from '../log.ts';

/** Everything that can be set, read once. Nothing in here is a secret. */
export interface Config {
  readonly dataDir: string;
  readonly nodeSecretFile: string;
  /** a PostgreSQL server instead of the embedded store: where it is, without its password */
  readonly database: string | undefined;
  readonly host: string;
  readonly port: number;
  /** undefined: plain HTTP */
  readonly tls: 'self-signed' | { readonly certFile: string; readonly keyFile: string } | undefined;
  /** names and addresses in a self-signed certificate, beside localhost and the host */
  readonly tlsNames: readonly string[];
  /** `/metrics` over TCP as well */
  readonly metrics: boolean;
  readonly corsOrigins: readonly string[];
  /** addresses or CIDR ranges whose forwarding headers count */
  readonly trustedProxies: readonly string[];
  /** node to node; addresses are multiaddrs */
  readonly network: {
    readonly enabled: boolean;
    readonly listen: readonly string[];
    readonly peers: readonly string[];
    /** what others are told instead of `listen`, unless it is empty */
    readonly announce: readonly string[];
  };
  readonly log: { readonly level: LogLevel; readonly format: 'json' | 'text' };
  readonly limits: {
    readonly enabled: boolean;
    readonly rates: Readonly<Record<LimitName, Rates>>;
    /** bytes of a JSON body, unless the operation says otherwise */
    readonly jsonBody: number;
    /** bytes of requests and answers that are in memory at once */
    readonly bytes: { readonly perAddress: number; readonly perAccount: number; readonly total: number };
  };
  readonly sessions: { readonly lifetimeMs: number; readonly refreshGraceMs: number; readonly challengeMs: number };
  readonly passwords: {
    readonly memoryKib: number;
    readonly passes: number;
    readonly lanes: number;
    readonly pbkdf2Iterations: number;
  };
  /** of what members keep, whatever service it is in */
  readonly storage: { readonly perMemberBytes: number };
  /** password vaults */
  readonly vaults: {
    readonly bcryptRounds: number;
    readonly idleMs: number;
    /** how long an owner can deny an emergency recovery by others; 0 for not at all */
    readonly emergencyWaitMs: number;
    /** base of the range service for breached passwords */
    readonly breachUrl: string;
    /** a copy of its list, asked instead */
    readonly breachList: string | undefined;
  };
  /** heavy work at once, and how much may wait */
  readonly heavy: { readonly atOnce: number; readonly queued: number };
  readonly server: {
    readonly headersTimeoutMs: number;
    readonly requestTimeoutMs: number;
    readonly keepAliveMs: number;
    readonly maxConnections: number;
    readonly connectionsPerAddress: number;
    /** how fast a body comes at least, after a while */
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
