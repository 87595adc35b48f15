import type { Clock } from '../context.ts';
import type { Log } from '../log.ts';
import type { Database } from '../store/database.ts';
import { touchedTopics } from '../store/event-rows.ts';
import { listen, notify } from '../store/signals.ts';
import type { EventHappened, Happened } from './happened.ts';
import { channel, movedSignals, passingSignal, readSignal } from './signals.ts';
import type { Topics } from './topics.ts';

/** How often it is looked whether somebody died between a commit and its signal. */
const SWEEP_MS = 5_000;
/** How long before a look something may have been published that it is the first to see: clocks differ, and transactions take a while. */
const MARGIN_MS = 60_000;
const TOPICS_PER_SWEEP = 10_000;
/** Events that can't be replayed and wait to be told; further ones are lost. */
const PASSING_AT_MOST = 1_000;

interface Processes {
  /** the others hear of it; nobody waits for that */
  tell(happened: Happened): void;
  follow(): Promise<AsyncDisposable>;
  settled(): Promise<void>;
}

/**
 * The processes on one PostgreSQL, as far as events go. Signals say how far topics have come, and the rows what happened. They leave after
 * the commit, many topics in one: a signal inside of a transaction would have all transactions of the database commit one after another.
 */
export function connectProcesses({
  id,
  store,
  clock,
  log,
  topics,
}: {
  readonly id: string;
  readonly store: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly topics: Topics;
}): Processes {
  const moved = new Map<string, number>();
  let passing: EventHappened[] = [];
  let telling: Promise<void> | undefined;

  async function tellAll(): Promise<void> {
    while (moved.size > 0 || passing.length > 0) {
      const signals = [...movedSignals(id, moved), ...passing.map((event) => passingSignal(id, event))];
      moved.clear();
      passing = [];
      for (const signal of signals) await notify(store.db, channel, signal);
    }
  }

  async function tellOthers(): Promise<void> {
    try {
      await tellAll();
    } catch (error) {
      // The others find what can be replayed when they next look.
      log.error('telling other processes of events failed', { error });
    } finally {
      telling = undefined;
    }
  }

  function hear(payload: string): void {
    const signal = readSignal(payload);
    if (signal === undefined || signal.from === id) return;
    if (signal.kind === 'moved') for (const [topic, seq] of signal.topics) topics.reach(topic, seq);
    else topics.deliver(signal.kind === 'passing' ? signal.event : signal.drop);
  }

  async function sweep(): Promise<void> {
    try {
      const touched = await touchedTopics(store.db, clock.now() - SWEEP_MS - MARGIN_MS, TOPICS_PER_SWEEP);
      if (touched.length === TOPICS_PER_SWEEP) topics.lookUp();
      else for (const { topic, seq } of touched) topics.reach(topic, seq);
    } catch (error) {
      log.error('reading events of other processes failed', { error });
    }
  }

  return {
    tell(happened) {
      // Drops were told in their transaction.
      if (store.engine !== 'postgres' || happened.kind === 'drop') return;
      if (happened.seq !== undefined) moved.set(happened.topic, Math.max(happened.seq, moved.get(happened.topic) ?? 0));
      else if (passing.length < PASSING_AT_MOST) passing.push(happened);
      telling ??= tellOthers();
    },
    async follow() {
      if (store.engine !== 'postgres') return { [Symbol.asyncDispose]: async () => undefined };
      const listening = await listen(store, channel, hear, () => topics.lookUp());
      let sweeping: Promise<void> = Promise.resolve();
      const timer = setInterval(() => {
        sweeping = sweeping.then(sweep);
      }, SWEEP_MS);
      return {
        async [Symbol.asyncDispose]() {
          clearInterval(timer);
          await sweeping;
          await listening[Symbol.asyncDispose]();
        },
      };
    },
    settled: async () => await telling,
  };
}
