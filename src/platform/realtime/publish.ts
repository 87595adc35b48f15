import type { Dropped } from '../../service/ports/realtime.ts';
import { safeParse } from 'valibot';
import type { Context } from '../../service/context.ts';
import type { DataOf, Event } from '../../contract/event.ts';
import { socketLimits } from '../../contract/realtime/limits.ts';
import { addEvent, addEventsOfEach } from '../store/event-rows.ts';
import { notify } from '../store/signals.ts';
import { limits } from './limits.ts';
import { dropName, frameText, later } from './happened.ts';
import { channel, dropSignals } from './signals.ts';

export interface Withheld {
  /** ids of members who are not told, though they hear the topic */
  readonly withheldFrom?: readonly string[];
}

/**
 * Sends an event to all listeners of the topic, in every process, after the transaction is committed. The publisher doesn't wait for them.
 * An event that can be replayed must be published in a transaction, where it takes the topic's next number.
 *
 * @param topic of the event's kind; see `topicName`
 */
export async function publish<E extends Event>(
  tx: Context,
  topic: string,
  event: E,
  data: DataOf<E>,
  { withheldFrom = [] }: Withheld = {},
): Promise<void> {
  assertTopic(topic, event);
  const now = tx.clock.now();
  const json = JSON.stringify(checked(event, data));
  const about = { topic, name: event.name, data: json };
  if (!event.replayable) {
    const text = frameText({ ...about, created_at: now });
    assertLength(event, text, limits.passingEvent);
    tx.afterCommit(() => tx.realtime.deliver({ kind: 'event', topic, seq: undefined, text, withheldFrom }));
    return;
  }
  await publishAll(tx, topic, [{ event, json, withheldFrom }]);
}

/**
 * As `publish`, for an event that can't be replayed and many topics of its kind, such as the inboxes of all members of a room.
 * @param here only for listeners of this process
 */
export function publishToMany<E extends Event>(
  tx: Pick<Context, 'afterCommit' | 'clock' | 'realtime'>,
  topics: readonly string[],
  event: E,
  data: DataOf<E>,
  { here = false }: { readonly here?: boolean } = {},
): void {
  if (event.replayable) throw new Error(`${event.name} takes a number, so each topic has its own`);
  if (topics.length === 0) return;
  for (const topic of topics) assertTopic(topic, event);
  const longest = 'x'.repeat(Math.max(...topics.map((topic) => topic.length)));
  const told = { name: event.name, data: JSON.stringify(checked(event, data)), created_at: tx.clock.now() };
  assertLength(event, frameText({ topic: longest, ...told }), limits.passingEvent);
  tx.afterCommit(() => tx.realtime.spread({ topics, ...told, ...(here && { here }) }));
}

/** An event that can be replayed, and what it says. */
export interface Said extends Withheld {
  readonly event: Event;
  /** JSON of what its schema has */
  readonly json: string;
  /** whether the rules of its topic make what is heard of it from that */
  readonly unopened?: true;
}

/** What an event says. */
export function said<E extends Event>(event: E, data: DataOf<E>): Said {
  return { event, json: JSON.stringify(checked(event, data)) };
}

/**
 * An event that says nothing by itself: the rules of its topic say what it is, whenever somebody hears it. So it costs no more than its
 * number while nobody does.
 */
export function saidLater(event: Event): Said {
  return { event, json: later };
}

/** The same for an event of which ids alone are stored, which the rules of its topic open. */
export function saidById(event: Event, ids: Readonly<Record<string, string>>, withheld: Withheld = {}): Said {
  return { event, json: JSON.stringify(ids), unopened: true, ...withheld };
}

/** Sends several events that can be replayed, in this order. It costs little more than one. */
export async function publishAll(tx: Context, topic: string, all: readonly Said[]): Promise<void> {
  await publishToEach(tx, new Map([[topic, all]]));
}

/** The same for many topics, each with events of its own and as many as the others have. It costs as many statements as one topic does. */
export async function publishToEach(tx: Context, of: ReadonlyMap<string, readonly Said[]>): Promise<void> {
  const now = tx.clock.now();
  for (const [topic, all] of of) assertSaid(topic, all, now);
  assertTransaction(tx);
  const rows = new Map([...of].map(([topic, all]) => [topic, all.map(eventOf)]));
  for (const [topic, first] of await addEventsOfEach(tx.db, rows, now))
    for (const [at, { event, json, unopened, withheldFrom }] of (of.get(topic) ?? []).entries()) {
      const seq = first + at;
      const text =
        json === later || unopened === true
          ? ''
          : frameText({ topic, name: event.name, data: json, seq, created_at: now });
      tx.afterCommit(() => tx.realtime.deliver({ kind: 'event', topic, seq, text, withheldFrom }));
    }
}

function eventOf({ event, json, withheldFrom = [] }: Said) {
  const withheld = withheldFrom.length === 0 ? undefined : JSON.stringify(withheldFrom);
  return { name: event.name, data: json, withheld };
}

function assertSaid(topic: string, all: readonly Said[], now: number): void {
  for (const { event, json } of all) {
    assertTopic(topic, event);
    if (!event.replayable) throw new Error(`${event.name} takes no number, because it cannot be replayed`);
    const longest = { topic, name: event.name, data: json, seq: Number.MAX_SAFE_INTEGER, created_at: now };
    assertLength(event, frameText(longest), limits.event);
  }
}

/**
 * Ends the subscriptions of members who may not hear a topic any more. It must run in the transaction that removes the right. After the
 * commit, these members hear only events of this topic that were committed before, in every process. A drop takes a number, as an event
 * does, so a process handles it before later events.
 */
export async function drop(tx: Context, topic: string, whom: Dropped): Promise<void> {
  if (whom.length === 0) return;
  assertTransaction(tx);
  const seq = await addEvent(tx.db, { topic, name: dropName, data: JSON.stringify(whom), now: tx.clock.now() });
  if (tx.store.engine === 'postgres')
    for (const signal of dropSignals(tx.realtime.id, { topic, seq, whom })) await notify(tx.db, channel, signal);
  tx.afterCommit(() => tx.realtime.deliver({ kind: 'drop', topic, seq, whom }));
}

const isPart = /^[\w.-]+$/;

/** Fields that the schema does not have are removed, so publishing a whole row reveals no other columns. */
function checked(event: Event, data: unknown): unknown {
  const result = safeParse(event.data, data, { abortEarly: true });
  if (result.success) return result.output;
  throw new Error(`${event.name} does not fit its schema: ${result.issues[0].message}`);
}

function assertTopic(topic: string, event: Event): void {
  const [kind, ...parts] = topic.split(':');
  const wellFormed = parts.length === Object.keys(event.topic.parts).length && parts.every((part) => isPart.test(part));
  if (kind !== event.topic.kind || !wellFormed || topic.length > socketLimits.topic)
    throw new Error(`${event.name} is no event of ${topic}`);
}

function assertLength(event: Event, text: string, most: number): void {
  if (Buffer.byteLength(text) > most) throw new RangeError(`${event.name} has more than ${most} bytes`);
}

function assertTransaction(tx: Context): void {
  if (tx.db === tx.store.db) throw new Error('what takes a number of a topic needs a transaction');
}
