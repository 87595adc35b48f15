import type { EventHappened, Happened, SpreadEvent } from '../../service/ports/realtime.ts';
import type { Clock } from '../../service/context.ts';
import type { Log } from '../../base/log.ts';
import type { Database } from '../store/database.ts';
import { touchedTopics } from '../store/event-rows.ts';
import { listen, notify } from '../store/signals.ts';
import { channel, movedSignals, passingSignal, readSignal, spreadSignals } from './signals.ts';
import type { Topics } from './topics.ts';

/** Interval for finding events whose process ended between the commit and the signal. */
const SWEEP_MS = 5_000;
/** A sweep also looks this far back before its interval, because clocks differ and transactions take a while. */
const MARGIN_MS = 60_000;
const TOPICS_PER_SWEEP = 10_000;
/** Maximum number of waiting events that can't be replayed; further ones are lost. */
const PASSING_AT_MOST = 1_000;

interface Processes {
  /** tells the other processes, without waiting for them */
  tell(happened: Happened): void;
  /** the same for an event of many topics */
  spread(event: SpreadEvent): void;
  follow(): Promise<AsyncDisposable>;
  settled(): Promise<void>;
}

/**
 * Connects the processes on one PostgreSQL for events. Signals tell how far topics have come, and the rows tell what happened. A signal is
 * sent after the commit and covers many topics. A signal inside a transaction would make the database commit all transactions one by one.
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
  let spreading: SpreadEvent[] = [];
  let telling: Promise<void> | undefined;

  async function tellAll(): Promise<void> {
    while (moved.size > 0 || passing.length > 0 || spreading.length > 0) {
      const signals = [
        ...movedSignals(id, moved),
        ...passing.flatMap((event) => passingSignal(id, event) ?? []),
        ...spreading.flatMap((event) => [...spreadSignals(id, event)]),
      ];
      moved.clear();
      passing = [];
      spreading = [];
      for (const signal of signals) await notify(store.db, channel, signal);
    }
  }

  async function tellOthers(): Promise<void> {
    try {
      await tellAll();
    } catch (error) {
      // Other processes find the events that can be replayed at their next sweep.
      log.error('telling other processes of events failed', { error });
    } finally {
      telling = undefined;
    }
  }

  function hear(payload: string): void {
    const signal = readSignal(payload);
    if (signal === undefined || signal.from === id) return;
    if (signal.kind === 'moved') for (const [topic, seq] of signal.topics) topics.reach(topic, seq);
    else if (signal.kind === 'spread') topics.spread(signal.event);
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
      // A drop is sent to other processes in its own transaction.
      if (store.engine !== 'postgres' || happened.kind === 'drop') return;
      if (happened.seq !== undefined) moved.set(happened.topic, Math.max(happened.seq, moved.get(happened.topic) ?? 0));
      else if (passing.length < PASSING_AT_MOST) passing.push(happened);
      telling ??= tellOthers();
    },
    spread(event) {
      if (store.engine !== 'postgres' || spreading.length >= PASSING_AT_MOST) return;
      spreading.push(event);
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
