import type { Context } from '../context.ts';
import { createAuthors } from './authors.ts';
import { isAuthentic, readEnvelope, sealEnvelope, type Envelope, type ReadEnvelope } from './envelope.ts';
import type { Admission } from './admission.ts';
import type { NetworkLimits } from './limits.ts';
import type { Announcement } from './port.ts';
import { recentIndex, type RecentIndex } from './recent-index.ts';
import { listKept, purgeSeen, recordNew, removeKept } from './rows.ts';
import { Problem } from '../problem.ts';
import type { GossipCounter, GossipMetrics } from './metrics.ts';
import { tokenBuckets } from './token-buckets.ts';

export type Receive = (announcement: Announcement) => Promise<void>;
/** `gossip`: just announced; `reconciled`: kept by another node, for up to a day */
export type Way = 'gossip' | 'reconciled';
export type Refusal = Extract<GossipCounter, `refused_${string}`>;

/** Whether the announcement was forged. An honest node never passes on such an announcement. */
export function isForged(refusal: Refusal): boolean {
  return (
    refusal === 'refused_format' ||
    refusal === 'refused_key' ||
    refusal === 'refused_signature' ||
    refusal === 'refused_size'
  );
}

/** Announcements of all nodes: checks them, records each once, delivers them, and keeps them for nodes that were offline. */
export interface Announcements {
  readonly index: RecentIndex;
  /** signs and records; resolves when it is on disk */
  seal(type: string, payload: unknown): Promise<Envelope>;
  /** checks whether an announcement is valid and allowed; counts refusals */
  check(bytes: Uint8Array, way: Way): Promise<Envelope | Refusal>;
  /** queues an announcement to be recorded and delivered; resolves when it is recorded; false: it was not recorded */
  accept(envelope: Envelope): Promise<boolean>;
  /** deletes announcements that are too old or exceed the size limit, and old ids */
  purge(): Promise<void>;
  /** resolves when nothing waits to be recorded or delivered */
  idle(): Promise<void>;
}

interface Waiting {
  readonly envelope: Envelope;
  readonly done: (written: boolean) => void;
}

/** Rows per transaction, and the number of receivers that run at the same time. */
const BATCH = 256;
const RECEIVERS = 16;

type Parts = Pick<Context, 'store' | 'clock' | 'random' | 'log' | 'keys'>;

export async function openAnnouncements(
  { store, clock, random, log, keys }: Parts,
  limits: NetworkLimits,
  {
    admission,
    metrics,
    receivers,
  }: { admission: Admission; metrics: GossipMetrics; receivers: ReadonlyMap<string, Receive> },
): Promise<Announcements> {
  const index = recentIndex(limits);
  for (const kept of await listKept(store.db)) index.add(kept);
  const authors = createAuthors();
  const allowances = tokenBuckets(limits.author);
  const waiting: Waiting[] = [];
  const pending = new Set<string>();
  let writing: Promise<void> | undefined;
  let delivering = Promise.resolve();
  let undelivered = 0;

  async function write(): Promise<void> {
    // All announcements that arrive in this turn of the event loop are written in one transaction.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      const fresh = await record(batch.map(({ envelope }) => envelope));
      for (const { envelope, done } of batch) {
        pending.delete(envelope.id);
        done(fresh !== undefined);
      }
      deliver(batch.flatMap(({ envelope }) => (fresh?.has(envelope.id) ? [envelope] : [])));
    }
    // In the same turn as the last look at the queue: an announcement that is queued later finds nobody writing, and starts anew.
    writing = undefined;
  }

  /** In the order of recording, and beside it: a receiver may announce something, and wait until that is recorded. */
  function deliver(envelopes: readonly Envelope[]): void {
    undelivered += envelopes.length;
    delivering = delivering.then(async () => {
      await handOut(envelopes);
      undelivered -= envelopes.length;
    });
  }

  /** Records the envelopes and returns the ids of the new ones; undefined: the store failed. */
  async function record(envelopes: readonly Envelope[]): Promise<Set<string> | undefined> {
    try {
      const expiresAt = clock.now() + limits.keepMs + limits.clockSkewMs;
      const fresh = await store.transaction(async (db) => await recordNew(db, envelopes, expiresAt));
      for (const { id, nodeId, timestamp, bytes } of envelopes) {
        if (fresh.has(id)) index.add({ id, nodeId, timestamp, size: bytes.length });
        else metrics.add('refused_replay');
      }
      return fresh;
    } catch (error) {
      log.error('recording announcements failed', { error, count: envelopes.length });
      return undefined;
    }
  }

  async function handOut(envelopes: readonly Envelope[]): Promise<void> {
    const others = envelopes.filter(({ nodeId }) => nodeId !== keys.nodeId);
    metrics.add('received', others.length);
    for (let at = 0; at < others.length; at += RECEIVERS) {
      await Promise.all(others.slice(at, at + RECEIVERS).map(receive));
    }
  }

  async function receive({ id, type, nodeId, timestamp, payload }: Envelope): Promise<void> {
    try {
      await receivers.get(type)?.({ id, type, nodeId, timestamp, payload });
    } catch (error) {
      log.error('handling an announcement failed', { error, type, nodeId });
    }
  }

  function queue(envelope: Envelope): Promise<boolean> {
    pending.add(envelope.id);
    const written = new Promise<boolean>((done) => void waiting.push({ envelope, done }));
    writing ??= write();
    return written;
  }

  /** Cheap checks come first. Checking the signature takes half a millisecond, so it comes near the end. */
  async function refusalOf(envelope: ReadEnvelope, way: Way): Promise<Refusal | undefined> {
    const age = clock.now() - envelope.timestamp;
    if (age > (way === 'gossip' ? limits.clockSkewMs : limits.keepMs) || age < -limits.clockSkewMs)
      return 'refused_clock';
    if (index.has(envelope.id) || pending.has(envelope.id)) return 'refused_replay';
    if (!receivers.has(envelope.type)) return 'refused_type';
    if (envelope.nodeId !== keys.nodeId && !(await admission.isAdmitted(envelope.nodeId))) return 'refused_author';
    if (!isAuthentic(envelope)) return 'refused_signature';
    // The rate is counted after the signature check, so that a forger can't use up the rate of another author.
    if (!allowances.take(envelope.nodeId, clock.now())) return 'refused_rate';
    return waiting.length + undelivered >= limits.waiting ? 'refused_load' : undefined;
  }

  return {
    index,
    async seal(type, payload) {
      const envelope = sealEnvelope(keys.identity, { type, payload, timestamp: clock.now(), nonce: random(16) });
      if (envelope.bytes.length > limits.announcementBytes) {
        throw new Problem('tooLarge', 'ANNOUNCEMENT_TOO_LARGE', 'The announcement is larger than 64 KiB.');
      }
      if (!(await queue(envelope)))
        throw new Problem('unavailable', 'STORE_UNAVAILABLE', 'The announcement was not recorded.');
      metrics.add('announced');
      return envelope;
    },
    async check(bytes, way) {
      const read = readEnvelope(bytes, limits.announcementBytes, authors);
      const refusal = typeof read === 'string' ? (`refused_${read}` as const) : await refusalOf(read, way);
      if (refusal !== undefined) metrics.add(refusal);
      return refusal ?? (read as Envelope);
    },
    accept: async (envelope) => !pending.has(envelope.id) && (await queue(envelope)),
    async purge() {
      const surplus = index.surplus(clock.now());
      index.remove(surplus);
      await removeKept(store, surplus);
      await purgeSeen(store, clock.now());
    },
    async idle() {
      do {
        await writing;
        await delivering;
      } while (writing !== undefined || undelivered > 0);
    },
  };
}
