import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Listener } from './listener.ts';
import type { Topics } from './topics.ts';

/** Topics of one list that are worked on before everything else gets a turn: each may be a query. */
const topicsAtOnce = 25;
/** Refused topics that an answer names; the others it only counts. */
const refusedNamed = 20;

/** What is answered to a list of topics: short, however long that was. */
export interface Subscribed {
  readonly count: number;
  readonly refused: number;
  /** the first of them */
  readonly refusedTopics: readonly string[];
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
): Promise<Subscribed> {
  let count = 0;
  let refused = 0;
  const refusedTopics: string[] = [];
  for await (const [topic, seq] of inTurns(wanted)) {
    if (!listener.open) break;
    if (topics.subscriptionsOf(listener) < most && (await topics.subscribe(listener, topic))) {
      count += 1;
      if (seq !== undefined) await topics.replay(listener, topic, seq);
    } else {
      refused += 1;
      if (refusedTopics.length < refusedNamed) refusedTopics.push(topic);
    }
  }
  return { count, refused, refusedTopics };
}

export async function unsubscribeAll(topics: Topics, listener: Listener, unwanted: readonly string[]): Promise<void> {
  for await (const topic of inTurns(unwanted)) topics.unsubscribe(listener, topic);
}

/** What is awaited in between may be there already, and then lets nobody else have a turn. */
async function* inTurns<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % topicsAtOnce === 0) await nextTurn();
    yield item;
  }
}
