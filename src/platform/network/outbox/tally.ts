import type { MessageOutcome } from '../../../service/ports/outbox.ts';

type Outcome = MessageOutcome['outcome'];

/** How many messages had which outcome since the start, by channel. Channels are those of this node, so their number is small. */
export interface Tally {
  add(channel: string, outcome: Outcome): void;
  of(outcome: Outcome): ReadonlyMap<string, number>;
}

export function createTally(): Tally {
  const counts: Record<Outcome, Map<string, number>> = {
    acknowledged: new Map(),
    refused: new Map(),
    expired: new Map(),
  };
  return {
    add: (channel, outcome) => void counts[outcome].set(channel, (counts[outcome].get(channel) ?? 0) + 1),
    of: (outcome) => counts[outcome],
  };
}
