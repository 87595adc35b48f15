import { setImmediate as nextTurn } from 'node:timers/promises';
import { socketLimits } from '../../contract/realtime/limits.ts';
import type { Listener } from '../../service/ports/listener.ts';
import type { Topics } from './topics.ts';

/** Topics of one list that are handled before other work gets a turn. Each of them may need a query. */
const topicsAtOnce = 25;

/** The answer to a list of topics. */
export interface SubscribedAll {
  readonly count: number;
  readonly refused: number;
  /** the first of the refused topics, if there are many */
  readonly refusedTopics: readonly string[];
  /** positions of topics that can be resumed; missing if there are none */
  readonly positions?: Readonly<Record<string, number>>;
}

/**
 * Subscribes to topics one by one, and sends the events after the given sequence numbers.
 *
 * @param most maximum number of subscriptions of a listener
 */
export async function subscribeAll(
  topics: Topics,
  listener: Listener,
  wanted: readonly (readonly [topic: string, seq: number | undefined])[],
  most: number,
): Promise<SubscribedAll> {
  let count = 0;
  let refused = 0;
  const refusedTopics: string[] = [];
  const positions: [string, number][] = [];
  for await (const [topic, seq] of inTurns(wanted)) {
    if (!listener.open) break;
    const subscribed =
      topics.subscriptionsOf(listener) < most ? await topics.subscribe(listener, topic, seq) : undefined;
    if (subscribed !== undefined) {
      count += 1;
      if (subscribed.position !== undefined) positions.push([topic, subscribed.position]);
    } else {
      refused += 1;
      if (refusedTopics.length < socketLimits.refusedNamed) refusedTopics.push(topic);
    }
  }
  return {
    count,
    refused,
    refusedTopics,
    ...(positions.length > 0 && { positions: Object.fromEntries(positions) }),
  };
}

export async function unsubscribeAll(topics: Topics, listener: Listener, unwanted: readonly string[]): Promise<void> {
  for await (const topic of inTurns(unwanted)) topics.unsubscribe(listener, topic);
}

/** Yields to other work between items. Awaited values may be ready already, and then no other work would get a turn. */
async function* inTurns<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % topicsAtOnce === 0) await nextTurn();
    yield item;
  }
}
