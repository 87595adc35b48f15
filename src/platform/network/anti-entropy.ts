import type { Connection, PeerId } from '@libp2p/interface';
import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import type { AddressBook } from './address-book.ts';
import type { Announcements } from './announcements.ts';
import { fromBase64, isListOf } from './json-values.ts';
import type { NetworkLimits } from './limits.ts';
import type { Neighbours } from './neighbours.ts';
import { connectionOf, type Entry } from './peer-table.ts';
import type { Pings } from './pings.ts';
import { ask } from './requests.ts';
import { fetchMissing, RECONCILE } from './reconcile.ts';
import { SHARED, type SharedParts } from './shared-parts.ts';
import type { Meet } from './switchboard.ts';
import type { GossipMetrics } from './metrics.ts';

/** The protocol in which two nodes exchange the address records that they know. */
export const ADDRESSES = 'gossip-addresses';

const MAX_RECORDS = 1024;
/** How often announcements are looked for that are to be handled again. Without any, the store isn't asked. */
const AGAIN_MS = 5_000;
const MAX_REFUSED = 40_000;
const PURGE_MS = 600_000;
/** New addresses often arrive together, so they are collected for this time before they are sent on. */
const GATHER_MS = 200;
/** After this time, GossipSub's first heartbeat with a new node and the exchange of subscriptions are over. */
const SETTLED_MS = 2_000;
/** A node is dropped after this number of unanswered comparisons in a row. */
const MAX_SILENT = 2;
/** Announcements from another time lead to an exchange at most this often. */
const SHARE_AGAIN_MS = 1_000;

export interface AntiEntropyOptions {
  readonly parts: Pick<Context, 'db' | 'random' | 'log'>;
  readonly limits: NetworkLimits;
  readonly metrics: GossipMetrics;
  readonly announcements: Announcements;
  readonly book: AddressBook;
  readonly neighbours: Neighbours;
  readonly meetings: readonly Meet[];
  readonly rounds: readonly (() => Promise<void>)[];
  /** whether the pool names a node, even if its admission has ended by our clock */
  readonly names: (nodeId: string) => Promise<boolean>;
  readonly shared: SharedParts;
  readonly pings: Pings;
  readonly penalise: (nodeId: string) => void;
  /** called when GossipSub has no stream to this node although the connection is open */
  readonly regraft: (entry: Entry, connection: Connection) => void;
  /** called when new addresses are known */
  readonly news: () => void;
}

/** Anti-entropy: when two nodes connect, and regularly after that, each fetches the announcements that it lacks. */
export interface AntiEntropy {
  start(): void;
  stop(): Promise<void>;
  greet(entry: Entry): void;
  /** learns the address records of another node, and answers with the records that this node knows */
  exchange(told: unknown, nodeId: string): Promise<unknown>;
  reconcileAll(): Promise<void>;
  pingAll(): Promise<void>;
  /** exchanges what domains share with a peer that passed on an announcement from another time */
  shareSoon(peer: PeerId): void;
  forget(nodeId: string): void;
  forgetRefusals(): void;
}

export function createAntiEntropy(options: AntiEntropyOptions): AntiEntropy {
  const { parts, limits, announcements, book, neighbours, metrics } = options;
  const { log } = parts;
  const running = new Map<string, Promise<void>>();
  const pinging = new Set<Entry>();
  const sharing = new Set<Entry>();
  const refusals = new Map<string, Set<string>>();
  const work = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  let telling: NodeJS.Timeout | undefined;
  let stopped = false;

  function run(what: string, body: () => Promise<void>): Promise<void> {
    if (stopped) return Promise.resolve();
    const done = body()
      .catch((error: unknown) => {
        if (stopped) return;
        // Nodes may disconnect at any time or not answer. Every other failure is an error of this node.
        const ofPeer = error instanceof Problem && error.code.startsWith('PEER_');
        log[ofPeer ? 'debug' : 'error'](`${what} failed`, { error });
      })
      .finally(() => work.delete(done));
    work.add(done);
    return done;
  }

  /**
   * Compares with a node, one run at a time. A request during a run starts another run after it, because there may be new announcements
   * since the first run began.
   */
  async function reconcile(entry: Entry): Promise<void> {
    const before = running.get(entry.nodeId);
    const next = (before ?? Promise.resolve()).then(
      async () => await run('a comparison', async () => await compare(entry)),
    );
    running.set(entry.nodeId, next);
    await next;
    if (running.get(entry.nodeId) === next) running.delete(entry.nodeId);
  }

  async function compare(entry: Entry): Promise<void> {
    const connection = connectionOf(entry);
    if (connection === undefined || !entry.admitted) return;
    const refused = refusals.get(entry.nodeId) ?? new Set<string>();
    if (refused.size > MAX_REFUSED) refused.clear();
    refusals.set(entry.nodeId, refused);
    try {
      await fetchMissing({
        announcements,
        db: parts.db,
        metrics,
        refused,
        ask: async (question) => await ask(connection, RECONCILE, question, limits),
        penalise: () => options.penalise(entry.nodeId),
      });
      entry.silent = 0;
      entry.refusing = false;
      await share(entry, connection);
    } catch (error) {
      onSilence(entry, error);
    }
  }

  /** Each side tells the other what its domains share, and hears the same of the other. */
  async function share(entry: Entry, connection: Connection): Promise<void> {
    const peer = neighbours.describe(entry);
    const told = await ask(connection, SHARED, await options.shared.tell(peer), limits);
    await options.shared.hear(told, peer);
  }

  /** Asks for the time, as a small frame alone, because telling and hearing may take long. @returns whether it answered */
  async function ping(entry: Entry): Promise<boolean> {
    const connection = connectionOf(entry);
    if (connection === undefined || !(entry.admitted || (await options.names(entry.nodeId)))) return false;
    if (await options.pings.ping(entry, connection)) return true;
    if (stopped || connectionOf(entry) === undefined) return false;
    log.info('a node does not answer any more; connection closed', { nodeId: entry.nodeId });
    neighbours.drop(entry, 'slow_peers_dropped');
    return false;
  }

  async function pingAll(): Promise<void> {
    await Promise.all(
      [...neighbours.table.all()].map(
        async (entry) =>
          await run('a ping', async () => {
            if (await ping(entry)) await tell(entry);
          }),
      ),
    );
  }

  async function tell(entry: Entry): Promise<void> {
    const connection = connectionOf(entry);
    if (entry.admitted && connection !== undefined) await share(entry, connection);
  }

  /** As often as a ping is due: a node that is slow to answer is asked nothing twice, and keeps neither its own pings nor others waiting. */
  function pingRegularly(entry: Entry): void {
    void run('a ping', async () => {
      const answered = await alone(pinging, entry, ping);
      if (answered === true) await alone(sharing, entry, tell);
    });
  }

  function onSilence(entry: Entry, error: unknown): void {
    if (!(error instanceof Problem)) throw error;
    entry.refusing = error.code === 'PEER_REFUSED';
    if (entry.refusing) return;
    entry.silent += 1;
    if (entry.silent >= MAX_SILENT && !stopped) neighbours.drop(entry, 'slow_peers_dropped');
  }

  async function tellAddresses(entry: Entry): Promise<void> {
    const connection = connectionOf(entry);
    if (connection === undefined || !entry.admitted) return;
    try {
      const told = await ask(connection, ADDRESSES, await known(), limits);
      await learn(told);
    } catch (error) {
      // The node may have disconnected, or may not admit this node. The next connection tries again.
      if (!(error instanceof Problem)) throw error;
    }
  }

  async function known(): Promise<unknown> {
    return { records: (await book.records()).map((bytes) => Buffer.from(bytes).toString('base64')) };
  }

  async function learn(told: unknown): Promise<void> {
    const { records } = (told ?? {}) as { records?: unknown };
    if (!isListOf(records, MAX_RECORDS, (record) => typeof record === 'string')) {
      throw new Problem('invalid', 'QUESTION_MALFORMED', 'The addresses are not valid.');
    }
    let news = false;
    for (const record of records) news = (await book.learn(fromBase64(record))) || news;
    if (!news || stopped) return;
    options.news();
    telling ??= setTimeout(() => {
      telling = undefined;
      for (const entry of neighbours.admitted()) void run('sending addresses', async () => await tellAddresses(entry));
    }, GATHER_MS);
  }

  async function round(): Promise<void> {
    await neighbours.reconsider();
    for (const entry of neighbours.admitted()) regraft(entry);
    const others = options.rounds.map(async (body) => await run('a round', body));
    await Promise.all([...neighbours.admitted().map(reconcile), ...others]);
  }

  function regraft(entry: Entry): void {
    const connection = connectionOf(entry);
    if (connection !== undefined && !hasGossip(entry)) options.regraft(entry, connection);
  }

  function isOn(): boolean {
    return !stopped;
  }

  function every(ms: () => number, what: string, body: () => Promise<void>): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      void run(what, body).then(() => (stopped ? undefined : every(ms, what, body)));
    }, ms());
    timers.add(timer);
  }

  /** Between 75 % and 125 % of `ms`, so that nodes that started together don't all ask at the same time. */
  function jittered(ms: number): number {
    return ms * (0.75 + (parts.random(1)[0] ?? 0) / 512);
  }

  return {
    start() {
      const handAgain = async (): Promise<void> => {
        while (isOn() && (await announcements.handOutAgain()));
      };
      void run('handling earlier announcements', handAgain);
      every(
        () => AGAIN_MS,
        'handling announcements again',
        () => {
          // Nobody waits for it: a receiver that takes long must not delay what is due of other topics.
          void run('handling announcements again', handAgain);
          return Promise.resolve();
        },
      );
      every(() => jittered(limits.reconcileMs), 'anti-entropy', round);
      every(
        () => jittered(limits.pingMs),
        'pings',
        () => {
          for (const entry of neighbours.table.all()) pingRegularly(entry);
          return Promise.resolve();
        },
      );
      every(
        () => Math.min(5_000, limits.strangers.idleMs),
        'closing idle connections',
        () => {
          neighbours.dropIdle(limits.strangers.idleMs);
          return Promise.resolve();
        },
      );
      every(
        () => PURGE_MS,
        'deleting old announcements',
        async () => await announcements.purge(),
      );
    },
    async stop() {
      stopped = true;
      clearTimeout(telling);
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(work);
    },
    greet(entry) {
      void run('sending addresses', async () => await tellAddresses(entry));
      pingRegularly(entry);
      void reconcile(entry);
      // GossipSub did not send the announcements that were made before it knew the new connection, so a second comparison follows.
      const timer = setTimeout(() => {
        timers.delete(timer);
        void reconcile(entry);
      }, SETTLED_MS);
      timers.add(timer);
      for (const meet of options.meetings) {
        void run('greeting a node', async () => await meet(neighbours.describe(entry)));
      }
    },
    async exchange(told, nodeId) {
      const entry = neighbours.table.byNodeId(nodeId);
      // The other node asks, so it admits this node again. It will now answer comparisons and accept GossipSub's streams.
      if (entry?.refusing) {
        regraft(entry);
        void reconcile(entry);
      }
      await learn(told);
      return await known();
    },
    reconcileAll: async () => void (await Promise.all(neighbours.admitted().map(reconcile))),
    pingAll,
    shareSoon(peer) {
      const entry = neighbours.table.byPeer(peer);
      const connection = entry === undefined ? undefined : connectionOf(entry);
      if (entry?.admitted !== true || connection === undefined) return;
      if (performance.now() - entry.sharedAt < SHARE_AGAIN_MS) return;
      entry.sharedAt = performance.now();
      void run('sharing', async () => await share(entry, connection));
    },
    forget: (nodeId) => void refusals.delete(nodeId),
    forgetRefusals: () => refusals.clear(),
  };
}

function hasGossip({ connections }: Entry): boolean {
  return [...connections].some(({ streams }) =>
    streams.some(({ protocol, direction }) => direction === 'outbound' && protocol.startsWith('/meshsub/')),
  );
}

/** Undefined where it is under way already. */
async function alone<T>(
  underWay: Set<Entry>,
  entry: Entry,
  work: (entry: Entry) => Promise<T>,
): Promise<T | undefined> {
  if (underWay.has(entry)) return undefined;
  underWay.add(entry);
  try {
    return await work(entry);
  } finally {
    underWay.delete(entry);
  }
}
