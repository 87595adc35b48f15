import { operatorId } from '../actor.ts';
import type { Config, Rate } from '../config/config.ts';
import { isGuess, isGuessFailure, limitOf, type Operation } from '../contract/operation.ts';
import type { LimitName } from '../contract/rates.ts';
import { Problem } from '../problem.ts';
import { networkOf } from './client-address.ts';
import type { Count, Counter } from './counter.ts';
import { createHash } from 'node:crypto';

export type LimitHeaders = Readonly<Record<string, string>>;

export interface LimitSubject {
  /** the client's; `local` (in process, control socket) isn't counted: whoever connects there can read the data directory anyway */
  readonly address: string;
  readonly memberId?: string;
}

/** Whose attempts are meant, where an operation limits those on one account. */
export interface Attempted {
  /** the member of the token */
  readonly memberId?: string | undefined;
  /** what the operation's limit names: a username, an e-mail address, a vault; of a member, each has their own count of it */
  readonly account?: string | undefined;
  /** the member whom a guest names; a name that nobody has counts by itself, at the same cost */
  find?(): Promise<{ readonly memberId: string | undefined; readonly device: string | undefined }>;
}

/** An attempt on an account that is counted already, so that many at once don't get past the count. */
export interface Attempt {
  /** with a success the count starts anew; what failed for another reason than a wrong guess is given back */
  settle(failure?: unknown): Promise<void>;
}

export interface Limits {
  /**
   * Counts one request, failed or not: by the address where guests ask or accounts are tried, and by the member.
   *
   * @param sent gets the headers too, also when the request is refused
   * @returns `RateLimit-Limit`, `-Remaining` and `-Reset` (seconds) of the counter that has least left; empty where nothing counts
   * @throws Problem tooMany RATE_LIMITED
   */
  take(op: Operation, who: LimitSubject, sent?: Record<string, string>): LimitHeaders | Promise<LimitHeaders>;
  /**
   * Counts one attempt on an account. Only for what `take` let through: whoever is over the limit of their own address doesn't use up
   * the attempts of others.
   *
   * @param sent gets headers where the account is the caller's own, or used up: before, they would tell a guest which names are one member's
   * @throws Problem tooMany RATE_LIMITED
   */
  attempt(op: Operation, whose: Attempted, sent?: Record<string, string>): Promise<Attempt>;
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
  /** the same from a device on which that member signed in before: strangers don't use these up */
  readonly perDevice: Counter | undefined;
}

const none: LimitHeaders = {};
const uncounted: Attempt = { settle: () => Promise.resolve() };

/** For commands that open the store themselves: a process that ends after one request has nothing to count. */
export const unlimited: Limits = {
  take: () => none,
  attempt: () => Promise.resolve(uncounted),
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
    const perGuest = name === 'signIn' ? rates.perAccount : undefined;
    byName.set(name, {
      perAccount: counterOf(name, 'account', rates.perAccount),
      perAddress: counterOf(name, 'address', rates.perAddress),
      perNamed: counterOf(name, 'named', perGuest),
      perDevice: counterOf(name, 'device', perGuest),
    });
  }
  const reads = config.rates.read.perAddress;
  const others = reads === undefined ? undefined : ownCounter('other:address', reads);

  function counterOf(name: LimitName, by: string, rate: Rate | undefined): Counter | undefined {
    return rate === undefined ? undefined : counter(`${name}:${by}`, rate);
  }

  /** The counter and the key of an attempt. */
  async function countedBy(op: Operation, whose: Attempted): Promise<{ by: Counter; key: string } | undefined> {
    const counters = byName.get(limitOf(op).name);
    const { memberId, account } = whose;
    if (memberId !== undefined) {
      const by = counters?.perAccount;
      return by && { by, key: accountKey(account, memberId) };
    }
    if (account === undefined || counters?.perNamed === undefined || counters.perDevice === undefined) return undefined;
    const found = await whose.find?.();
    if (found?.memberId !== undefined && found.device !== undefined)
      return { by: counters.perDevice, key: `${found.memberId} ${found.device}` };
    return { by: counters.perNamed, key: found?.memberId ?? guestKey(account) };
  }

  return {
    take(op, { address, memberId }, sent = {}) {
      if (memberId === operatorId) return none;
      const use = limitOf(op);
      const counters = byName.get(use.name);
      // Where an operation names no account, a member counts as such wherever they are, and a guest as their address.
      const tries = use.account !== undefined;
      const byAddress = address !== 'local' && (tries || memberId === undefined);
      const perAddress = byAddress ? counters?.perAddress?.take(networkOf(address)) : undefined;
      // Attempts that succeed don't use up their account: so that they have an end as well, they are writes.
      const perMember = memberId === undefined ? undefined : (tries ? byName.get('write') : counters)?.perAccount;
      if (perMember === undefined || memberId === undefined)
        return perAddress === undefined ? none : perAddress.then((count) => headersOf(count, sent));
      if (perAddress === undefined) return perMember.take(memberId).then((count) => headersOf(count, sent));
      return perAddress.then(async (a) => {
        if (a.exceeded) return headersOf(a, sent);
        return headersOf(scarcer(a, await perMember.take(memberId)), sent);
      });
    },
    async attempt(op, whose, sent = {}) {
      if (limitOf(op).account === undefined || whose.memberId === operatorId) return uncounted;
      const counted = await countedBy(op, whose);
      if (counted === undefined) return uncounted;
      const { by, key } = counted;
      const count = await by.take(key);
      if (count.exceeded || whose.memberId !== undefined) headersOf(count, sent);
      if (!isGuess(op)) return uncounted;
      return {
        async settle(failure) {
          if (isWrongGuess(failure)) return;
          // The answer is made; where the count can't be reached, it runs out by itself.
          await (failure === undefined ? by.free(key) : by.giveBack(key)).catch(() => undefined);
        },
      };
    },
    async takeOther(address, sent = {}) {
      if (others === undefined || address === 'local') return;
      headersOf(await others.take(networkOf(address)), sent);
    },
  };
}

function isWrongGuess(error: unknown): boolean {
  return error instanceof Problem && isGuessFailure(error.code);
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
function accountKey(named: string | undefined, memberId: string): string {
  return named === undefined ? memberId : guestKey(`${memberId} ${named.trim()}`);
}

/**
 * What a client typed for a name, hashed: keys may be written to a table, and are at most 255 long there. Members count by their ids as
 * they are, which no hash looks like: somebody may type the id of another.
 */
function guestKey(name: string): string {
  return createHash('sha256').update(name.normalize('NFKC').trim().toLowerCase()).digest('base64url');
}
