import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { operatorId } from '../actor.ts';
import type { Config, Rate } from '../config/config.ts';
import { limitOf, type LimitName, type Operation } from '../contract/operation.ts';
import { Problem } from '../problem.ts';
import type { Count, Counter } from './counter.ts';

export type LimitHeaders = Readonly<Record<string, string>>;

export interface LimitSubject {
  /** the client's; `local` (in process, control socket) isn't counted: whoever connects there can read the data directory anyway */
  readonly address: string;
  readonly memberId?: string;
  /** what the operation's limit names: a username, an e-mail address, a vault */
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
}

/** Makes a counter whose keys don't mix with those of other prefixes; see counter.ts. */
export type CounterFactory = (prefix: string, rate: Rate) => Counter;

interface Counters {
  readonly perAccount: Counter | undefined;
  readonly perAddress: Counter | undefined;
}

const none: LimitHeaders = {};

/** For commands that open the store themselves: a process that ends after one request has nothing to count. */
export const unlimited: Limits = { take: () => none };

export function createLimits(config: Config['limits'], counter: CounterFactory): Limits {
  if (!config.enabled) return unlimited;
  const byName = new Map<LimitName, Counters>();
  for (const [name, rates] of Object.entries(config.rates) as [LimitName, Config['limits']['rates'][LimitName]][]) {
    byName.set(name, {
      perAccount: counterOf(name, 'account', rates.perAccount),
      perAddress: counterOf(name, 'address', rates.perAddress),
    });
  }

  function counterOf(name: LimitName, by: string, rate: Rate | undefined): Counter | undefined {
    return rate === undefined ? undefined : counter(`${name}:${by}`, rate);
  }

  return {
    take(op, who, sent = {}) {
      if (who.memberId === operatorId) return none;
      const use = limitOf(op);
      const counters = byName.get(use.name);
      // Where an operation names no account, a member counts as such wherever they are, and a guest as their address.
      const account = use.account === undefined ? who.memberId : (who.account ?? who.memberId);
      const byAddress = who.address !== 'local' && (use.account !== undefined || account === undefined);
      const perAccount = account === undefined ? undefined : counters?.perAccount?.take(accountKey(account));
      const perAddress = byAddress ? counters?.perAddress?.take(addressKey(who.address)) : undefined;
      const one = perAccount ?? perAddress;
      if (one === undefined) return none;
      if (perAccount === undefined || perAddress === undefined) return one.then((count) => headersOf(count, sent));
      return Promise.all([perAccount, perAddress]).then(([a, b]) => headersOf(scarcer(a, b), sent));
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
  Object.assign(sent, headers);
  if (count.exceeded) {
    const message = `Too many requests. Try again in ${seconds} s.`;
    throw new Problem('tooMany', 'RATE_LIMITED', message, { retryAfterSeconds: seconds });
  }
  return headers;
}

/** Member ids as they are; names and e-mail addresses hashed, since keys may be written to a table and are at most 255 long there. */
function accountKey(account: string): string {
  if (/^[0-9a-f]{24}$/.test(account)) return account;
  return createHash('sha256').update(account.normalize('NFKC').trim().toLowerCase()).digest('base64url');
}

/** One customer of a provider has a /64 of IPv6 to choose addresses from: it counts as one. */
function addressKey(address: string): string {
  if (!isIPv6(address)) return address;
  const [bare = ''] = address.split('%', 1);
  const [head = '', tail] = bare.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const network = [...left, ...zeros, ...right].slice(0, 4).map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
