import { Problem } from '../base/problem.ts';
import { networkOf } from './client-address.ts';
import type { LimitSubject } from './limits.ts';

export interface ByteBounds {
  readonly perAddress: number;
  readonly perAccount: number;
  readonly total: number;
}

/** Limits the memory for bodies of running requests and of answers: per address, per member and in total. */
export interface ByteBudget {
  /** Begins the account of one request, with 0 bytes. Disposing of it gives back the bytes that it took. */
  begin(who: LimitSubject): BytesHeld;
  /** bytes that are taken in total */
  readonly taken: number;
}

export interface BytesHeld extends Disposable {
  /**
   * Must be called before the bytes are stored anywhere.
   * @throws Problem tooMany RATE_LIMITED when the address or the member has too many, unavailable OVERLOADED when the total is used up
   */
  take(bytes: number): void;
  /**
   * Counts an answer. It already exists, so this is never refused. It stays counted after the request has ended.
   * @returns a function that gives its bytes back, once
   */
  answer(bytes: number): () => void;
  /** Counts bytes of a stream that have gone by. Nothing is kept of them, but their memory is garbage now. */
  pass(bytes: number): void;
}

/** A quarter is reserved for callers with little under way: 1/256, the default largest body (1 MiB) of the default total (256 MiB). */
const RESERVED = 1 / 4;
const LITTLE = 1 / 256;

/** A body of the largest kind takes about this long. */
const RETRY_SECONDS = 5;

/**
 * V8 collects the whole heap whenever a server has made 8 MB outside of it, which are some hundred pieces of a stream: that took a third of
 * the processors. Most pieces are young, and collecting the young alone takes a hundredth of that, if it comes first.
 */
const COLLECT_BYTES = 4 * 1024 ** 2;

/**
 * @param bounds may change while there are requests: each is compared with those of its moment
 * @param collect collects young garbage; by itself a server does so, see node/listeners/start-up.ts
 */
export function createByteBudget(
  bounds: ByteBounds,
  collect = (): void => {
    globalThis.gc?.({ type: 'minor' });
  },
): ByteBudget {
  const owners = new Map<string, number>();
  let taken = 0;
  let passed = 0;

  function change(names: readonly string[], bytes: number): void {
    taken += bytes;
    for (const name of names) {
      const now = (owners.get(name) ?? 0) + bytes;
      if (now === 0) owners.delete(name);
      else owners.set(name, now);
    }
  }

  return {
    get taken() {
      return taken;
    },
    begin(who) {
      let names: readonly string[] | undefined;
      let mine = 0;
      return {
        take(bytes) {
          names ??= namesOf(who);
          const { perAddress, perAccount, total } = bounds;
          let hasLittle = true;
          for (const name of names) {
            const others = (owners.get(name) ?? 0) - mine;
            const most = name.startsWith('member') ? perAccount : perAddress;
            // A single request may be larger than the budget, because the limit of the operation bounds it.
            if (others > 0 && others + mine + bytes > most) throw tooMuch();
            hasLittle &&= others + mine + bytes <= total * LITTLE;
          }
          // A few slow senders may fill the budget and keep it full. Small requests of others must not wait for them.
          if (taken > mine && taken + bytes > (hasLittle ? total : total * (1 - RESERVED))) throw full();
          mine += bytes;
          change(names, bytes);
        },
        answer(bytes) {
          const its = namesOf(who);
          let held = bytes;
          change(its, held);
          return () => {
            change(its, -held);
            held = 0;
          };
        },
        pass(bytes) {
          passed += bytes;
          if (passed < COLLECT_BYTES) return;
          passed = 0;
          collect();
        },
        [Symbol.dispose]() {
          if (names !== undefined) change(names, -mine);
          mine = 0;
        },
      };
    },
  };
}

function namesOf({ address, memberId }: LimitSubject): string[] {
  const names = memberId === undefined ? [] : [`member ${memberId}`];
  // A caller without an address uses the control socket, so it can read the data directory anyway.
  return address === 'local' ? names : [...names, `address ${networkOf(address)}`];
}

function tooMuch(): Problem {
  const message = 'You have too many large requests and answers at once. Send one after the other.';
  return new Problem('tooMany', 'RATE_LIMITED', message, { retryAfterSeconds: RETRY_SECONDS });
}

function full(): Problem {
  const message = 'The server has too many large requests and answers at once. Try again in a few seconds.';
  return new Problem('unavailable', 'OVERLOADED', message, { retryAfterSeconds: RETRY_SECONDS });
}
