import { operatorId } from '../service/actor.ts';
import type { Config } from '../config/config.ts';
import type { Rate } from '../config/kinds.ts';
import { isGuess, isGuessFailure, limitOf, type LimitUse, type Operation } from '../contract/operation.ts';
import { isGeneral, type LimitName } from '../contract/rates.ts';
import { Problem } from '../base/problem.ts';
import { networkOf } from './client-address.ts';
import type { Count, Counter } from './counter.ts';
import { createHash } from 'node:crypto';

export type LimitHeaders = Readonly<Record<string, string>>;

export interface LimitSubject {
  /** the client's address; `local` (in process, control socket) isn't counted: callers there can read the data directory anyway */
  readonly address: string;
  readonly memberId?: string;
  /** whether a program asks with an app password */
  readonly bridge?: boolean;
}

/** The account whose attempts are counted, for operations that limit attempts on one account. */
export interface Attempted {
  /** the member who owns the token */
  readonly memberId?: string | undefined;
  /** the value that the operation's limit names: a username, an e-mail address, a vault. Each member has a count of their own for it */
  readonly account?: string | undefined;
  /** of whoever tries a secret without an account, such as the password of a link */
  readonly address?: string;
  /** finds the member whom a guest names; an unknown name has a count of its own, at the same cost */
  find?(): Promise<{ readonly memberId: string | undefined; readonly device: string | undefined }>;
}

/** An attempt on an account. It is counted before it runs, so that many at once cannot get past the limit. */
export interface Attempt {
  /** a success sets the count to 0; a failure for another reason than a wrong guess takes this attempt back from the count */
  settle(failure?: unknown): Promise<void>;
}

export interface Limits {
  /**
   * Counts one request, whether it fails or not: by address for guests and for operations that try accounts, and by member.
   *
   * @param sent gets the headers too, also when the request is refused
   * @returns `RateLimit-Limit`, `-Remaining` and `-Reset` (seconds) of the counter with the least left; empty if nothing counts
   * @throws Problem tooMany RATE_LIMITED
   */
  take(op: Operation, who: LimitSubject, sent?: Record<string, string>): LimitHeaders | Promise<LimitHeaders>;
  /**
   * Counts one attempt on an account. Call it only after `take` has let the request through: a client over the limit of its own address
   * must not use up the attempts of others.
   *
   * @param sent gets headers only if the account is the caller's own, or is used up. Otherwise they would tell a guest which names belong
   *   to the same member.
   * @throws Problem tooMany RATE_LIMITED
   */
  attempt(op: Operation, whose: Attempted, sent?: Record<string, string>): Promise<Attempt>;
  /**
   * Counts one request of a program with an app password. Operations count by themselves; other protocols call it for each command.
   *
   * @throws Problem tooMany RATE_LIMITED
   */
  takeBridge(memberId: string, sent?: Record<string, string>): Promise<void>;
  /**
   * Counts a frame that a member sends over a socket, together with the requests that count to the same limit.
   * @throws Problem tooMany RATE_LIMITED
   */
  takeFrame(memberId: string, name: LimitName): Promise<void>;
  /**
   * Counts a wrong try of an app password. Each password has its own count at each address, so an old telephone locks nobody out.
   *
   * @param presented what names the password
   * @throws Problem tooMany RATE_LIMITED
   */
  appPasswordFailed(address: string, presented: string): Promise<void>;
  /**
   * Counts one request that belongs to no operation. An address may send as many of them as reads.
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
  /** attempts of guests from a device on which that member signed in before: strangers cannot use these up */
  readonly perDevice: Counter | undefined;
}

const none: LimitHeaders = {};
const uncounted: Attempt = { settle: () => Promise.resolve() };

/** For commands that open the store themselves. Such a process ends after one request, so it has nothing to count. */
export const unlimited: Limits = {
  take: () => none,
  attempt: () => Promise.resolve(uncounted),
  takeBridge: () => Promise.resolve(),
  takeFrame: () => Promise.resolve(),
  appPasswordFailed: () => Promise.resolve(),
  takeOther: () => Promise.resolve(),
};

/**
 * Limits whose rates may change while the server runs. What was counted at a rate that stays goes on; a rate that changes begins anew.
 *
 * @param config the part of the configuration that everything in this process holds
 */
export function createLiveLimits(
  config: Config['limits'],
  counter: CounterFactory,
  ownCounter: CounterFactory = counter,
): { readonly limits: Limits; readonly renew: () => void } {
  const factories = [keptCounters(counter), keptCounters(ownCounter)] as const;
  let current = createLimits(config, ...factories);
  return {
    limits: {
      take: (...request) => current.take(...request),
      attempt: (...attempt) => current.attempt(...attempt),
      takeBridge: (...request) => current.takeBridge(...request),
      takeFrame: (...frame) => current.takeFrame(...frame),
      appPasswordFailed: (...failed) => current.appPasswordFailed(...failed),
      takeOther: (...request) => current.takeOther(...request),
    },
    renew: () => void (current = createLimits(config, ...factories)),
  };
}

/** Nobody gets new tries at a password because something else of the configuration changed. */
function keptCounters(make: CounterFactory): CounterFactory {
  const kept = new Map<string, Counter>();
  return (prefix, rate) => {
    const name = `${prefix} ${rate.points}/${rate.seconds}`;
    const counter = kept.get(name) ?? make(prefix, rate);
    kept.set(name, counter);
    return counter;
  };
}

/** @param ownCounter counts in this process only, for counts that don't justify a round trip to the shared database */
export function createLimits(
  config: Config['limits'],
  counter: CounterFactory,
  ownCounter: CounterFactory = counter,
): Limits {
  if (!config.enabled) return unlimited;
  const byName = new Map<LimitName, Counters>();
  for (const [name, rates] of Object.entries(config.rates) as [LimitName, Config['limits']['rates'][LimitName]][]) {
    const perGuest = name === 'signIn' || name === 'shareLink' ? rates.perAccount : undefined;
    byName.set(name, {
      perAccount: counterOf(name, 'account', rates.perAccount),
      perAddress: counterOf(name, 'address', rates.perAddress),
      perNamed: counterOf(name, 'named', perGuest),
      perDevice: name === 'signIn' ? counterOf(name, 'device', perGuest) : undefined,
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

  /** Counts a guess at a secret that has no account: for what it is the secret of, and for the address. A right one is taken back. */
  async function guessAt(op: Operation, { account = '', address = 'local' }: Attempted): Promise<Attempt> {
    const counters = byName.get(limitOf(op).name);
    // The address comes first: whoever is over its limit must not use up what others have left.
    const counted: (readonly [Counter | undefined, string])[] = [[counters?.perNamed, guestKey(account)]];
    if (address !== 'local') counted.unshift([counters?.perAddress, networkOf(address)]);
    for (const [by, key] of counted) if (by !== undefined) headersOf(await by.take(key), {});
    return {
      async settle(failure) {
        if (isWrongGuess(failure)) return;
        for (const [by, key] of counted) await by?.giveBack(key).catch(() => undefined);
      },
    };
  }

  return {
    take(op, { address, memberId, bridge }, sent = {}) {
      if (memberId === operatorId) return none;
      const named = limitOf(op);
      const use: LimitUse = named.guess === undefined ? named : { name: op.method === 'GET' ? 'read' : 'write' };
      // Operations with a limit of their own keep it: it counts what they do, whoever asks.
      const counters = byName.get(bridge === true && isGeneral(use.name) ? 'bridge' : use.name);
      // If an operation names no account, a member counts by member id at every address, and a guest counts by address.
      const tries = use.account !== undefined;
      const byAddress = address !== 'local' && (tries || memberId === undefined);
      const perAddress = byAddress ? counters?.perAddress?.take(networkOf(address)) : undefined;
      // Successful attempts don't use up the count of their account. They count as writes, so that they are limited as well.
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
      if (limitOf(op).guess !== undefined) return await guessAt(op, whose);
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
          // The answer is made already. If the counter cannot be reached, the count expires by itself.
          await (failure === undefined ? by.free(key) : by.giveBack(key)).catch(() => undefined);
        },
      };
    },
    async takeBridge(memberId, sent = {}) {
      const count = await byName.get('bridge')?.perAccount?.take(memberId);
      if (count !== undefined) headersOf(count, sent);
    },
    async takeFrame(memberId, name) {
      const count = await byName.get(name)?.perAccount?.take(memberId);
      if (count !== undefined) headersOf(count, {});
    },
    async appPasswordFailed(address, presented) {
      if (address === 'local') return;
      const count = await byName.get('bridge')?.perAddress?.take(guestKey(`${networkOf(address)} ${presented}`));
      if (count !== undefined) headersOf(count, {});
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

/** Returns the counter with less left. If both are used up, it returns the one that lasts longer. */
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
  // If several counters apply, the headers describe the one with the least left.
  if (count.exceeded || !(Number(sent['ratelimit-remaining']) < count.remaining)) Object.assign(sent, headers);
  if (count.exceeded) {
    const message = `Too many requests. Try again in ${seconds} s.`;
    throw new Problem('tooMany', 'RATE_LIMITED', message, { retryAfterSeconds: seconds });
  }
  return headers;
}

/** The same name from two members has two counts: nobody uses up the attempts of a vault's owner. */
function accountKey(named: string | undefined, memberId: string): string {
  return named === undefined ? memberId : guestKey(`${memberId} ${named.trim()}`);
}

/**
 * The hash of a name that a client typed. Counter keys may be written to a table, where they have at most 255 characters. Members count by
 * their plain ids, which never look like a hash: otherwise a guest could type the id of another member.
 */
function guestKey(name: string): string {
  return createHash('sha256').update(name.normalize('NFKC').trim().toLowerCase()).digest('base64url');
}
