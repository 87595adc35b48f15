import type { AsHeard, DropHappened, EventHappened, Happened } from '../../service/ports/realtime.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import type { EventRow } from '../store/tables/events.ts';
import { limits } from './limits.ts';
import { happenedOf, isDropped } from './happened.ts';
import type { Listener } from '../../service/ports/listener.ts';
import type { Subscription } from './subscription.ts';

/** The source of missed events. */
export interface EventSource {
  /** the number of the newest event of a topic */
  positionOf(topic: string): Promise<number>;
  /** the events after a number, in order */
  eventsAfter(topic: string, seq: number, limit: number): Promise<readonly EventRow[]>;
}

/** Listeners of one topic that get an event before other work gets a turn. */
const listenersAtOnce = 200;
/** Maximum number of waiting events of a topic. Further ones are read from the store; those that can't be replayed are lost. */
const waitingAtMost = 100;
const retryMs = 1_000;

interface FeedOptions {
  readonly source: EventSource;
  readonly log: Log;
  readonly leave: (listener: Listener) => void;
  readonly asHeard: AsHeard | undefined;
}

/**
 * A topic in this process, as long as it has a listener. Its listeners here get everything that any process publishes in it, in the order
 * of the numbers. Events that do not arrive in order are read from the store.
 */
export class Feed {
  readonly topic: string;
  readonly asHeard: AsHeard | undefined;
  readonly subscriptions = new Map<Listener, Subscription>();
  /** the last number that was sent; undefined until the position of the topic is known */
  last: number | undefined;
  readonly #source: EventSource;
  readonly #log: Log;
  readonly #leave: (listener: Listener) => void;
  #wanted = 0;
  /** the topic may be further than `#wanted`: a reading that is under way may have begun before the newest event */
  #unsure = false;
  readonly #told = new Map<number, Happened>();
  readonly #passing: EventHappened[] = [];
  #running = false;

  constructor(topic: string, { source, log, leave, asHeard }: FeedOptions) {
    this.topic = topic;
    this.asHeard = asHeard;
    this.#source = source;
    this.#log = log;
    this.#leave = leave;
  }

  /** The topic is at this number, or further by now. */
  standsAt(seq: number): void {
    this.last ??= seq;
    this.reach(seq);
  }

  /** The topic has reached this number. Missing events are read. */
  reach(seq: number): void {
    this.#wanted = Math.max(this.#wanted, seq);
    if (this.last !== undefined && this.#wanted > this.last) this.#run();
  }

  /** The position of the topic is unknown, because signals were lost. */
  lookUp(): void {
    if (this.last === undefined) return;
    this.#unsure = true;
    this.#run();
  }

  offer(happened: Happened): void {
    if (happened.kind === 'event' && happened.seq === undefined) {
      if (this.#passing.length >= waitingAtMost) return;
      this.#passing.push(happened);
      this.#run();
      return;
    }
    // The right ends now, even if earlier events are still waiting.
    if (happened.kind === 'drop') this.#drop(happened);
    const seq = happened.seq ?? 0;
    if (seq <= (this.last ?? -1)) return;
    // One that says nothing by itself is read from the store.
    const says = happened.kind === 'drop' || happened.text !== '';
    if (says && this.last !== undefined && this.#told.size < waitingAtMost) this.#told.set(seq, happened);
    this.reach(seq);
  }

  /** Works in a turn of its own, so that the publisher doesn't wait. */
  #run(): void {
    if (this.#running) return;
    this.#running = true;
    setImmediate(() => void this.#work());
  }

  async #work(): Promise<void> {
    try {
      for (let done = 1; this.subscriptions.size > 0; done += 1) {
        // Rows of the embedded store are available at once. Without a turn of the event loop, nothing would be sent before all frames are
        // made.
        if (done % limits.eventsAtOnce === 0) await nextTurn();
        const passing = this.#passing.shift();
        if (passing !== undefined) await this.#fanOut(undefined, passing);
        else if (this.last === undefined || (this.#wanted <= this.last && !this.#unsure)) break;
        else await this.#advance(this.last);
      }
    } catch (error) {
      this.#log.error('reading events failed', { error });
      setTimeout(() => this.lookUp(), retryMs).unref();
    } finally {
      this.#running = false;
    }
  }

  async #advance(last: number): Promise<void> {
    const told = this.#told.get(last + 1);
    if (told !== undefined) {
      this.#told.delete(last + 1);
      await this.#take(last + 1, told);
      return;
    }
    const unsure = this.#unsure;
    this.#unsure = false;
    const rows = await this.#source.eventsAfter(this.topic, last, limits.eventsAtOnce);
    if (unsure && rows.length === limits.eventsAtOnce) this.#unsure = true;
    if (rows.length === 0) await this.#endAt(last);
    else await nextTurn();
    for (const happened of await happenedOf(rows, this.asHeard)) {
      if (happened.seq !== (this.last ?? 0) + 1) this.#skipTo(happened.seq - 1);
      this.#told.delete(happened.seq);
      await this.#take(happened.seq, happened);
    }
  }

  /** Nothing was read. Either everything was read before, or the following events were purged. */
  async #endAt(last: number): Promise<void> {
    const position = await this.#source.positionOf(this.topic);
    const [row] = await this.#source.eventsAfter(this.topic, last, 1);
    if (row !== undefined) return;
    this.#wanted = last;
    if (position > last) this.#skipTo(position);
  }

  async #take(seq: number, happened: Happened): Promise<void> {
    // Set first: a listener that subscribes from now on doesn't need this event.
    this.last = seq;
    if (happened.kind === 'drop') this.#drop(happened);
    else await this.#fanOut(seq, happened);
  }

  async #fanOut(seq: number | undefined, { text, withheldFrom }: EventHappened): Promise<void> {
    // A hub of thousands may have thousands whom blocks part from an author.
    const withheld = new Set(withheldFrom);
    let count = 0;
    for (const [listener, subscription] of this.subscriptions) {
      subscription.take(listener, seq, text === '' || withheld.has(listener.memberId) ? undefined : text);
      count += 1;
      if (count % listenersAtOnce === 0) await nextTurn();
    }
  }

  #drop({ seq, whom }: DropHappened): void {
    for (const [listener, subscription] of this.subscriptions)
      if (seq > subscription.since && isDropped(whom, listener.memberId)) this.#leave(listener);
  }

  #skipTo(seq: number): void {
    this.last = seq;
    for (const told of this.#told.keys()) if (told <= seq) this.#told.delete(told);
    for (const [listener, subscription] of this.subscriptions) {
      if (subscription.state === 'cutting-over') subscription.fallBehind();
      if (subscription.state !== 'live' || subscription.sent >= seq) continue;
      subscription.sent = seq;
      listener.send(resyncText(this.topic, seq));
    }
  }
}

/** Events before this number are missing. */
export function resyncText(topic: string, seq: number): string {
  return JSON.stringify({ type: 'resync', topic, seq });
}
