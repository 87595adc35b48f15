import { setImmediate as nextTurn } from 'node:timers/promises';
import { socketLimits } from '../contract/realtime/limits.ts';
import type { Listener } from './listener.ts';
import type { Topics } from './topics.ts';

/** Topics of one list that are worked on before everything else gets a turn: each may be a query. */
const topicsAtOnce = 25;

/** What is answered to a list of topics. */
export interface SubscribedAll {
  readonly count: number;
  readonly refused: number;
  /** the first of them, however many there were */
  readonly refusedTopics: readonly string[];
  /** of those that can be resumed; missing where none can */
  readonly positions?: Readonly<Record<string, number>>;
}

/**
 * Subscribes to topics one after another, and sends what came after the sequence numbers that are given.
 *
 * @param most subscriptions that a listener may have
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

/** The awaited values may be ready already, and then no other work would get a turn. */
async function* inTurns<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % topicsAtOnce === 0) await nextTurn();
    yield item;
  }
}
