import type { Connection } from '@libp2p/interface';
import type { Clock } from '../../service/context.ts';
import type { Log } from '../../base/log.ts';
import { Problem } from '../../base/problem.ts';
import { isListOf } from './json-values.ts';
import type { NetworkLimits } from './limits.ts';
import { isWrongClock, type Entry, type Pinged } from './peer-table.ts';
import { ask, isSilence } from './requests.ts';

/** The protocol in which a node tells its time. */
export const PING = 'gossip-ping';

const MAX_PROTOCOLS = 64;
const PROTOCOL = /^[a-z0-9-]{1,40}$/;
const MAX_KNOWN = 10_000;
/** A node is dropped after this number of unanswered pings in a row. */
const MAX_UNANSWERED = 3;

/** What a node answers at once: its time, and the protocols in which it answers requests. */
export function pong(clock: Clock, protocols: readonly string[]): unknown {
  return { at: clock.now(), protocols: protocols.slice(0, MAX_PROTOCOLS) };
}

export interface Pings {
  /**
   * Measures the round trip and the difference of the clocks. Where a node does not answer in time, the next ping follows at once, because
   * nothing is heard of a connection whose packets get lost.
   * @returns false: it left so many without an answer that it is gone
   * @throws Problem PEER_UNREACHABLE, PEER_REFUSED
   */
  ping(entry: Entry, connection: Connection): Promise<boolean>;
}

export function createPings({ limits, clock, log }: { limits: NetworkLimits; clock: Clock; log: Log }): Pings {
  /** the nodes whose clocks are wrong: said once, and not with every ping or connection */
  const wrong = new Set<string>();

  function note({ nodeId }: Entry, pinged: Pinged): void {
    if (isWrongClock(pinged)) {
      if (wrong.has(nodeId) || wrong.size >= MAX_KNOWN) return;
      wrong.add(nodeId);
      log.warn('the clock of a node differs from ours by more than a minute; set the clock that is wrong', {
        nodeId,
        aheadMs: Math.round(pinged.clockSkewMs),
      });
    } else if (wrong.delete(nodeId)) log.info('the clock of a node agrees with ours again', { nodeId });
  }

  async function once(entry: Entry, connection: Connection): Promise<void> {
    const asked = performance.now();
    const told = await ask(connection, PING, { at: clock.now() }, { ...limits, answerMs: limits.pingAnswerMs });
    const roundTripMs = performance.now() - asked;
    const { at, protocols } = (told ?? {}) as { at?: unknown; protocols?: unknown };
    if (!Number.isSafeInteger(at) || !isListOf(protocols, MAX_PROTOCOLS, isProtocol))
      throw new Problem('invalid', 'PEER_REFUSED', 'The answer to a ping is not valid.');
    const clockSkewMs = (at as number) + roundTripMs / 2 - clock.now();
    entry.pinged = { roundTripMs, clockSkewMs, protocols };
    note(entry, entry.pinged);
  }

  return {
    async ping(entry, connection) {
      for (;;) {
        try {
          await once(entry, connection);
          entry.unanswered = 0;
          return true;
        } catch (error) {
          if (!isUnanswered(error)) throw error;
          entry.unanswered += 1;
          if (entry.unanswered >= MAX_UNANSWERED) return false;
          if (!isSilence(error)) throw error;
        }
      }
    },
  };
}

function isUnanswered(error: unknown): boolean {
  return error instanceof Problem && error.code === 'PEER_UNREACHABLE';
}

function isProtocol(value: unknown): value is string {
  return typeof value === 'string' && PROTOCOL.test(value);
}
