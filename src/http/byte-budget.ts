import { Problem } from '../problem.ts';
import { networkOf } from './client-address.ts';
import type { LimitSubject } from './limits.ts';

export interface ByteBounds {
  readonly perAddress: number;
  readonly perAccount: number;
  readonly total: number;
}

/** Memory of the bodies of running requests and answers, per address, per member and in total. */
export interface ByteBudget {
  /** Nothing yet, for one request; disposing of it gives back what it took. */
  begin(who: LimitSubject): BytesHeld;
  /** what is taken in all */
  readonly taken: number;
}

export interface BytesHeld extends Disposable {
  /**
   * Before the bytes are kept anywhere.
   * @throws Problem tooMany RATE_LIMITED when the address or the member has too many, unavailable OVERLOADED when all have
   */
  take(bytes: number): void;
  /**
   * The answer is there, and is held in its own right from now on, whatever becomes of the request. Nobody is refused any more.
   * @returns what gives its bytes back, once
   */
  answer(bytes: number): () => void;
}

/** The part of all that is there for those alone who have little under way, and how little that is: the usual largest body of 256 MiB. */
const RESERVED = 1 / 4;
const LITTLE = 1 / 256;

/** About as long as a body of the largest kind takes. */
const RETRY_SECONDS = 5;

export function createByteBudget({ perAddress, perAccount, total }: ByteBounds): ByteBudget {
  const owners = new Map<string, number>();
  let taken = 0;

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
          let hasLittle = true;
          for (const name of names) {
            const others = (owners.get(name) ?? 0) - mine;
            const most = name.startsWith('member') ? perAccount : perAddress;
            // A single request may be larger than the budget, because the limit of the operation bounds it.
            if (others > 0 && others + mine + bytes > most) throw tooMuch();
            hasLittle &&= others + mine + bytes <= total * LITTLE;
          }
          // A few who send slowly may fill it, and keep it full: nobody else's small requests shall wait for them.
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
