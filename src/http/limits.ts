import { createHash } from 'node:crypto';
import { operatorId } from '../actor.ts';
import type { Config, Rate } from '../config/config.ts';
import { limitOf, type LimitName, type Operation } from '../contract/operation.ts';
import { Problem } from '../problem.ts';
import { networkOf } from './client-address.ts';
import type { Count, Counter } from './counter.ts';

export type LimitHeaders = Readonly<Record<string, string>>;

export interface LimitSubject {
  /** the client's; `local` (in process, control socket) isn't counted: whoever connects there can read the data directory anyway */
  readonly address: string;
  readonly memberId?: string;
  /** what the operation's limit names: a username, an e-mail address, a vault; of a member, each has their own count of it */
  readonly account?: string;
}

export interface Limits {
  /**
   * Counts one request, failed or not.
   *
   * @param sent gets the headers too, also when the request is refused
   * @returns `RateLimit-Limit`, `-Remaining` and `-Reset` (seconds) of the counter that has least left; empty where nothing counts
   * @throws Problem tooMany RATE_LIMITED
   */
  take(op: Operation, who: LimitSubject, sent?: Record<string, string>): LimitHeaders | Promise<LimitHeaders>;
  /**
   * Counts one attempt on the member whom a guest names, by whichever of the member's names; a name that nobody has counts by itself,
   * at the same cost. It has nothing to do with what that member does.
   *
   * @param find answers the member's id
   * @param sent gets headers when the attempt is refused alone: before, they would tell which names are one member's
   * @throws Problem tooMany RATE_LIMITED
   */
  takeNamed(
    op: Operation,
    name: string,
    find: () => Promise<string | undefined>,
    sent?: Record<string, string>,
  ): Promise<void>;
  /**
   * Counts one request that is for no operation, as many as there may be reads from one address.
   *
   * @throws Problem tooMany RATE_LIMITED
   */
  takeOther(address: string, sent?: Record<string, string>): Promise<void>;
}

/** Makes a counter whose keys don't mix with those of other prefixes; see counter.ts. */
export type CounterFactory = (prefix: string, rate: Rate) => Counter;

interface Counters {
  readonly perAccount: Counter | undefined;
  readonly perAddress: Counter | undefined;
  /** attempts of guests on one member */
  readonly perNamed: Counter | undefined;
}

const none: LimitHeaders = {};

/** For commands that open the store themselves: a process that ends after one request has nothing to count. */
export const unlimited: Limits = {
  take: () => none,
  takeNamed: () => Promise.resolve(),
  takeOther: () => Promise.resolve(),
};

/** @param ownCounter of this process alone, for what isn't worth the way to a database that processes share */
export function createLimits(
  config: Config['limits'],
  counter: CounterFactory,
  ownCounter: CounterFactory = counter,
): Limits {
  if (!config.enabled) return unlimited;
  const byName = new Map<LimitName, Counters>();
  for (const [name, rates] of Object.entries(config.rates) as [LimitName, Config['limits']['rates'][LimitName]][]) {
    byName.set(name, {
      perAccount: counterOf(name, 'account', rates.perAccount),
      perAddress: counterOf(name, 'address', rates.perAddress),
      perNamed: name === 'signIn' ? counterOf(name, 'named', rates.perAccount) : undefined,
    });
  }
  const reads = config.rates.read.perAddress;
  const others = reads === undefined ? undefined : ownCounter('other:address', reads);

  function counterOf(name: LimitName, by: string, rate: Rate | undefined): Counter | undefined {
    return rate === undefined ? undefined : counter(`${name}:${by}`, rate);
  }

  return {
    take(op, who, sent = {}) {
      if (who.memberId === operatorId) return none;
      const use = limitOf(op);
      const counters = byName.get(use.name);
      // Where an operation names no account, a member counts as such wherever they are, and a guest as their address.
      const account = accountKey(use.account === undefined ? undefined : who.account, who.memberId);
      const byAddress = who.address !== 'local' && (use.account !== undefined || account === undefined);
      const perAccount = account === undefined ? undefined : counters?.perAccount?.take(account);
      const perAddress = byAddress ? counters?.perAddress?.take(networkOf(who.address)) : undefined;
      const one = perAccount ?? perAddress;
      if (one === undefined) return none;
      if (perAccount === undefined || perAddress === undefined) return one.then((count) => headersOf(count, sent));
      return Promise.all([perAccount, perAddress]).then(([a, b]) => headersOf(scarcer(a, b), sent));
    },
    async takeNamed(op, name, find, sent = {}) {
      const named = byName.get(limitOf(op).name)?.perNamed;
      if (named === undefined) return;
      const count = await named.take((await find()) ?? nameKey(name));
      if (count.exceeded) headersOf(count, sent);
    },
    async takeOther(address, sent = {}) {
      if (others === undefined || address === 'local') return;
      headersOf(await others.take(networkOf(address)), sent);
    },
  };
}

/** Of two that are used up, the one that lasts longer. */
function scarcer(a: Count, b: Count): Count {
  if (a.exceeded !== b.exceeded) return a.exceeded ? a : b;
  if (a.exceeded) return a.resetMs >= b.resetMs ? a : b;
  return a.remaining <= b.remaining ? a : b;
}

function headersOf(count: Count, sent: Record<string, string>): LimitHeaders {
  const seconds = Math.max(1, Math.ceil(count.resetMs / 1000));
  const headers = {
    'ratelimit-limit': String(count.limit),
    'ratelimit-remaining': String(count.remaining),
    'ratelimit-reset': String(seconds),
  };
  // Of several that count, those who ask are told of the one that has least left.
  if (count.exceeded || !(Number(sent['ratelimit-remaining']) < count.remaining)) Object.assign(sent, headers);
  if (count.exceeded) {
    const message = `Too many requests. Try again in ${seconds} s.`;
    throw new Problem('tooMany', 'RATE_LIMITED', message, { retryAfterSeconds: seconds });
  }
  return headers;
}

/** What one member names is counted apart from the same of another: nobody uses up the attempts of a vault's owner. */
function accountKey(named: string | undefined, memberId: string | undefined): string | undefined {
  if (named === undefined) return memberId;
  return nameKey(memberId === undefined ? named : `${memberId} ${named.trim()}`);
}

/**
 * What a client typed for a name, hashed: keys may be written to a table, and are at most 255 long there. Members count by their ids as
 * they are, which no hash looks like: somebody may type the id of another.
 */
function nameKey(name: string): string {
  return createHash('sha256').update(name.normalize('NFKC').trim().toLowerCase()).digest('base64url');
}
