import type { Context } from '../../service/context.ts';
import { canonicalJsonBytes } from '../../crypto/canonical-json.ts';
import { createAuthors } from './authors.ts';
import { isAuthentic, readEnvelope, type Envelope, type ReadEnvelope } from './envelope.ts';
import type { Admission } from './admission.ts';
import type { NetworkLimits } from './limits.ts';
import type { Announcement } from '../../service/ports/network.ts';
import { recentIndex, type RecentIndex } from './recent-index.ts';
import { listKept, purgeSeen, recordNew, removeKept } from './rows.ts';
import type { GossipCounter, GossipMetrics } from './metrics.ts';
import { openDeliveries } from './deliveries.ts';
import { createSealing } from './sealing.ts';
import type { OpenTopic } from './topics.ts';

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

/** Announcements of all nodes: checks their envelopes, records each once, delivers them, and keeps them for nodes that were offline. */
export interface Announcements {
  readonly index: RecentIndex;
  /** signs, records and sends; resolves when it is on disk */
  announce(type: string, payload: unknown): Promise<void>;
  /** checks which announcements of an envelope are valid and allowed; counts refusals */
  check(bytes: Uint8Array, way: Way): Promise<Envelope | Refusal>;
  /** queues an envelope to be recorded and delivered; resolves when it is recorded; false: it was not recorded */
  accept(envelope: Envelope): Promise<boolean>;
  /** hands out again what receivers failed to handle, or an earlier process; resolves to whether more is due */
  handOutAgain(): Promise<boolean>;
  /** deletes announcements that are too old or exceed the size limit, and old ids */
  purge(): Promise<void>;
  /** resolves when nothing waits to be recorded or delivered */
  idle(): Promise<void>;
}

interface Waiting {
  readonly envelope: Envelope;
  readonly done: (written: boolean) => void;
}

/** Envelopes per transaction. */
const BATCH = 256;

type Parts = Pick<Context, 'store' | 'clock' | 'random' | 'log' | 'keys'>;

export async function openAnnouncements(
  { store, clock, random, log, keys }: Parts,
  limits: NetworkLimits,
  {
    admission,
    metrics,
    topics,
    publish,
  }: {
    admission: Admission;
    metrics: GossipMetrics;
    topics: ReadonlyMap<string, OpenTopic>;
    publish: (bytes: Uint8Array) => void;
  },
): Promise<Announcements> {
  const index = recentIndex(limits);
  for (const kept of await listKept(store.db)) index.add(kept);
  const authors = createAuthors();
  const waiting: Waiting[] = [];
  let waitingBytes = 0;
  const pending = new Set<string>();
  let writing: Promise<void> | undefined;
  const deliveries = await openDeliveries({ store, clock, log }, { topics, metrics, read: readAgain });

  async function write(): Promise<void> {
    // All announcements that arrive in this turn of the event loop are written in one transaction.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      for (const { envelope } of batch) waitingBytes -= envelope.bytes.length;
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

  /** As long as the topic of any of its announcements asks for. */
  function keptUntil({ announcements, timestamp }: Envelope): number {
    return timestamp + Math.max(0, ...announcements.map(({ type }) => topics.get(type)?.retentionMs ?? 0));
  }

  function deliver(envelopes: readonly Envelope[]): void {
    const others = envelopes.filter(isOfOther);
    for (const { announcements } of others) metrics.add('received', announcements.length);
    deliveries.add(others);
  }

  function isOfOther({ nodeId }: Envelope): boolean {
    return nodeId !== keys.nodeId;
  }

  /** The announcements that are still allowed. Their rate was counted when they came. */
  async function readAgain(bytes: Uint8Array): Promise<Envelope | undefined> {
    const read = readEnvelope(bytes, limits.envelopeBytes, authors);
    if (typeof read === 'string' || !(await admission.isAdmitted(read.nodeId))) return undefined;
    return { ...read, announcements: await allowedOf(read) };
  }

  /** Records the envelopes and returns the ids of the new ones; undefined: the store failed. */
  async function record(envelopes: readonly Envelope[]): Promise<Set<string> | undefined> {
    try {
      const expiresAt = clock.now() + limits.keepMs + limits.clockSkewMs;
      const records = envelopes.map((envelope) => ({ envelope, keptUntil: keptUntil(envelope), expiresAt }));
      const { fresh, noted } = await store.transaction(async (db) => {
        const added = await recordNew(db, records);
        const toHandle = envelopes.filter(
          (each) => isOfOther(each) && each.announcements.length > 0 && added.has(each.id),
        );
        return { fresh: added, noted: await deliveries.note(db, toHandle) };
      });
      noted();
      for (const { envelope, keptUntil: until } of records) {
        const { id, timestamp, bytes, announcements } = envelope;
        if (fresh.has(id)) index.add({ id, timestamp, size: bytes.length, until });
        else metrics.add('refused_replay', announcements.length);
      }
      return fresh;
    } catch (error) {
      log.error('recording announcements failed', { error, count: envelopes.length });
      return undefined;
    }
  }

  function queue(envelope: Envelope): Promise<boolean> {
    pending.add(envelope.id);
    waitingBytes += envelope.bytes.length;
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
    if (!envelope.announcements.some(({ type }) => topics.has(type))) return 'refused_type';
    if (envelope.nodeId !== keys.nodeId && !(await admission.isAdmitted(envelope.nodeId))) return 'refused_author';
    if (!isAuthentic(envelope)) return 'refused_signature';
    // The rate is counted after the signature check, so that a forger can't use up the rate of another author.
    if (!takeRates(envelope)) return 'refused_rate';
    const full = waiting.length + deliveries.size >= limits.waiting || waitingBytes >= limits.waitingBytes;
    return full ? 'refused_load' : undefined;
  }

  /** All or none: the rest of an envelope could not come later, because its id is recorded once. */
  function takeRates({ announcements, nodeId }: Envelope): boolean {
    const counts = new Map<OpenTopic, number>();
    for (const { type } of announcements) {
      const topic = topics.get(type);
      if (topic !== undefined) counts.set(topic, (counts.get(topic) ?? 0) + 1);
    }
    const now = clock.now();
    for (const topic of counts.keys()) if (!topic.rate.has(nodeId, now)) return false;
    for (const [topic, count] of counts) topic.rate.take(nodeId, now, count);
    return true;
  }

  /** The announcements of a valid envelope that their topics allow. The others are counted, and the envelope is passed on with all. */
  async function allowedOf({ announcements, bytes }: ReadEnvelope): Promise<Announcement[]> {
    const allowed: Announcement[] = [];
    for (const announcement of announcements) {
      const { type, nodeId, timestamp, payload } = announcement;
      const topic = topics.get(type);
      if (topic === undefined) metrics.add('refused_type');
      else if (clock.now() - timestamp > Math.max(topic.retentionMs, limits.clockSkewMs)) metrics.add('refused_clock');
      else if (topic.maxBytes < bytes.length && canonicalJsonBytes(payload).length > topic.maxBytes)
        metrics.add('refused_topic');
      else if (nodeId !== keys.nodeId && !(await topic.mayAnnounce(nodeId))) metrics.add('refused_topic');
      else allowed.push(announcement);
    }
    return allowed;
  }

  const sealing = createSealing({
    identity: keys.identity,
    nodeId: keys.nodeId,
    clock,
    random,
    envelopeBytes: limits.envelopeBytes,
    topics,
    metrics,
    record: queue,
    publish,
  });

  return {
    index,
    announce: async (type, payload) => await sealing.announce(type, payload),
    async check(bytes, way) {
      const read = readEnvelope(bytes, limits.envelopeBytes, authors);
      const refusal = typeof read === 'string' ? (`refused_${read}` as const) : await refusalOf(read, way);
      if (typeof read === 'string' || refusal !== undefined) {
        const faulty = refusal ?? 'refused_format';
        metrics.add(faulty, typeof read === 'string' ? 1 : read.announcements.length);
        return faulty;
      }
      return { ...read, announcements: await allowedOf(read) };
    },
    accept: async (envelope) => !pending.has(envelope.id) && (await queue(envelope)),
    handOutAgain: async () => await deliveries.again(),
    async purge() {
      const surplus = index.surplus(clock.now());
      index.remove(surplus);
      await removeKept(store, surplus);
      await purgeSeen(store, clock.now());
    },
    async idle() {
      const isBusy = (): boolean => writing !== undefined || deliveries.size > 0;
      do {
        await sealing.idle();
        await writing;
        await deliveries.idle();
      } while (isBusy());
    },
  };
}
