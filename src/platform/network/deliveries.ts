import type { Context } from '../../service/context.ts';
import type { Db } from '../store/database.ts';
import type { Envelope } from './envelope.ts';
import type { GossipMetrics } from './metrics.ts';
import type { Announcement } from '../../service/ports/network.ts';
import { keptEnvelopes } from './rows.ts';
import type { OpenTopic } from './topics.ts';
import { changeUnhandled, forgetUnhandled, listUnhandled, noteUnhandled, type Unhandled } from './unhandled.ts';

/**
 * Hands recorded announcements to their receivers. A row, written in the transaction that records an envelope, stays until all receivers
 * are done. So what a receiver failed to handle, or a process that ended, is handed out again.
 */
export interface Deliveries {
  /** announcements that are being handed out */
  readonly size: number;
  /** notes in the transaction that records envelopes that they are to be handled; call the result after the commit */
  note(db: Db, envelopes: readonly Envelope[]): Promise<() => void>;
  /**
   * Hands them out, those of each topic in this order, and beside it: a receiver may announce something, and wait until that is recorded.
   */
  add(envelopes: readonly Envelope[]): void;
  /** hands out again what is due, or the first of it; resolves to whether more is due */
  again(): Promise<boolean>;
  /** resolves when nothing is being handed out */
  idle(): Promise<void>;
}

export interface DeliveryOptions {
  readonly topics: ReadonlyMap<string, Pick<OpenTopic, 'receive'>>;
  readonly metrics: GossipMetrics;
  /** the allowed announcements of an envelope; undefined: it is not allowed any more */
  readonly read: (bytes: Uint8Array) => Promise<Envelope | undefined>;
}

/** Announcements of a topic that its receiver is given at the same time. */
const RECEIVERS = 16;
/** Envelopes that are handed out again at once. */
const AGAIN = 256;
const RETRY_MS = { least: 5_000, most: 3_600_000 };
/** Tries over seven hours. What still fails then fails because of what was said. */
const MAX_ATTEMPTS = 16;

export async function openDeliveries(
  { store, clock, log }: Pick<Context, 'store' | 'clock' | 'log'>,
  { topics, metrics, read }: DeliveryOptions,
): Promise<Deliveries> {
  /** what waits to be handed out again, oldest first */
  const failed = new Map((await listUnhandled(store.db)).map((row) => [row.id, row]));
  /** what was handled since the last transaction; so handling costs none of its own */
  const handled = new Set<string>();
  /** what is being handed out, by topic: its receiver takes the next after the last */
  const chains = new Map<string, Promise<void>>();
  const handing = new Set<Promise<void>>();
  const leaving: Unhandled[] = [];
  let keeping: Promise<void> | undefined;
  let undelivered = 0;

  async function receive(announcement: Announcement): Promise<boolean> {
    const { type, nodeId, id } = announcement;
    try {
      await topics.get(type)?.receive(announcement);
      return true;
    } catch (error) {
      metrics.add('handling_failed');
      log.error('handling an announcement failed', { error, type, nodeId, id });
      return false;
    }
  }

  /** Hands out what they have of each topic in its turn. Resolves when all receivers are done, and that is noted. */
  async function hand(envelopes: readonly Envelope[], attempts: (id: string) => number): Promise<void> {
    const failing = new Set<Announcement>();
    const ofTopics = new Map<string, Announcement[]>();
    for (const announcement of envelopes.flatMap(({ announcements }) => announcements)) {
      const ofTopic = ofTopics.get(announcement.type);
      if (ofTopic === undefined) ofTopics.set(announcement.type, [announcement]);
      else ofTopic.push(announcement);
    }
    const turns = new Map([...ofTopics].map(([type, all]) => [type, queue(type, all, failing)]));
    // An envelope is done when its own topics are, however long others take.
    const done = envelopes.map(async ({ id, announcements }) => {
      await Promise.all(announcements.map(async ({ type }) => await turns.get(type)));
      const rest = announcements.filter((one) => failing.has(one));
      if (rest.length === 0 || isLast(attempts(id), rest)) handled.add(id);
      else await keepSoon(again(id, attempts(id), rest));
    });
    await Promise.all(done);
  }

  function track(work: Promise<void>): Promise<void> {
    const done = work.finally(() => handing.delete(done));
    handing.add(done);
    return done;
  }

  /** Receivers of a topic get what is said on it in the order in which it came, and wait for no receiver of another topic. */
  function queue(type: string, all: readonly Announcement[], failing: Set<Announcement>): Promise<void> {
    undelivered += all.length;
    const turn = handAfter(chains.get(type), all, failing);
    chains.set(type, turn);
    return turn;
  }

  async function handAfter(
    before: Promise<void> | undefined,
    all: readonly Announcement[],
    failing: Set<Announcement>,
  ): Promise<void> {
    await before;
    for (let at = 0; at < all.length; at += RECEIVERS) {
      const some = all.slice(at, at + RECEIVERS);
      const done = await Promise.all(some.map(receive));
      for (const [index, one] of some.entries()) if (done[index] !== true) failing.add(one);
      undelivered -= some.length;
    }
  }

  function again(id: string, attempts: number, rest: readonly Announcement[]): Unhandled {
    return { id, attempts, nextAt: clock.now() + pauseAfter(attempts), open: rest.map((one) => one.id) };
  }

  /** Whether these announcements are given up. */
  function isLast(attempts: number, announcements: readonly Announcement[]): boolean {
    if (attempts < MAX_ATTEMPTS) return false;
    metrics.add('given_up', announcements.length);
    for (const { id, type, nodeId } of announcements)
      log.error('an announcement was given up', { type, nodeId, id, attempts });
    return true;
  }

  /** What fails while others are noted is noted together. */
  async function keepSoon(left: Unhandled): Promise<void> {
    leaving.push(left);
    keeping ??= keepAll();
    await keeping;
  }

  async function keepAll(): Promise<void> {
    while (leaving.length > 0) await keep(leaving.splice(0));
    keeping = undefined;
  }

  async function keep(left: readonly Unhandled[]): Promise<void> {
    for (const one of left) failed.set(one.id, one);
    try {
      await changeUnhandled(store, left);
    } catch (error) {
      // The rows are as before, so a later process hands out more of these envelopes, and sooner.
      log.error('noting announcements that were not handled failed', { error, count: left.length });
    }
  }

  async function flush(): Promise<void> {
    if (handled.size === 0) return;
    const noted = await store.transaction(async (db) => await note(db, []));
    noted();
  }

  async function note(db: Db, envelopes: readonly Envelope[]): Promise<() => void> {
    const over = [...handled];
    await forgetUnhandled(db, over);
    await noteUnhandled(
      db,
      envelopes.map(({ id }) => id),
    );
    return () => {
      for (const id of over) handled.delete(id);
    };
  }

  function due(): Unhandled[] {
    const now = clock.now();
    return [...failed.values()].filter(({ nextAt }) => nextAt <= now);
  }

  /** Counts the attempt before it begins: an announcement that ends the process must not do so for ever. */
  async function claim(): Promise<readonly Unhandled[]> {
    const now = clock.now();
    const claimed = due()
      .slice(0, AGAIN)
      .map(({ id, attempts, open }) => ({ id, attempts: attempts + 1, nextAt: now + pauseAfter(attempts), open }));
    const before = claimed.map(({ id }) => failed.get(id));
    // At once, because what is slow may be handed out still when others are claimed.
    for (const one of claimed) failed.set(one.id, one);
    try {
      await changeUnhandled(store, claimed);
    } catch (error) {
      for (const one of before) if (one !== undefined) failed.set(one.id, one);
      throw error;
    }
    return claimed;
  }

  /** What is too old, or whose author is not admitted any more, is not handled any more. */
  async function readOne({ id, open: ids, attempts }: Unhandled): Promise<Envelope[]> {
    const [bytes] = await keptEnvelopes(store.db, [id], 0);
    const envelope = bytes === undefined ? undefined : await read(bytes);
    const announcements = envelope?.announcements.filter((one) => ids?.includes(one.id) ?? true) ?? [];
    failed.delete(id);
    if (envelope !== undefined && announcements.length > 0 && !isLast(attempts - 1, announcements))
      return [{ ...envelope, announcements }];
    handled.add(id);
    return [];
  }

  return {
    get size() {
      return undelivered;
    },
    note,
    add: (envelopes) => (envelopes.length === 0 ? undefined : void track(hand(envelopes, () => 1))),
    async again() {
      const claimed = await claim();
      const envelopes: Envelope[] = [];
      for (const one of claimed) envelopes.push(...(await readOne(one)));
      await flush();
      const attempts = new Map(claimed.map((one) => [one.id, one.attempts]));
      await track(hand(envelopes, (id) => attempts.get(id) ?? 1));
      return due().length > 0;
    },
    async idle() {
      while (handing.size > 0) await Promise.all(handing);
      await flush().catch((error: unknown) => log.error('noting handled announcements failed', { error }));
    },
  };
}

/** @param attempts made so far */
function pauseAfter(attempts: number): number {
  return Math.min(RETRY_MS.most, RETRY_MS.least * 2 ** (attempts - 1));
}
