import type { Context } from '../../../service/context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import type { Peer } from '../../../service/ports/network.ts';
import { logKeyOf, originOf } from '../../../crypto/formats/ledger/log-key.ts';
import { hashOf, isOneStore, makeStatement, statementBy, type Statement } from './statement.ts';
import { notice } from './notices.ts';
import { stopSigning } from './stop.ts';

/** Notices when two processes run with the key of one node, on different stores. */
export interface Instances {
  /** a new statement of this process; `after` is the statement of this node that the listener heard last */
  state(peer: Peer): Promise<Statement>;
  /** hash of the last statement of another node that was heard; undefined: none */
  lastOf(nodeId: string): string | undefined;
  /** the earlier and the later statement of a node, if they show that another instance spoke after the earlier one */
  accusationOf(nodeId: string): readonly [Statement, Statement] | undefined;
  /** hears a statement of another node, or of another process with the key of this one */
  hear(said: unknown, peer: Peer): Promise<void>;
  /** Hears which statement of this node the peer heard last. @returns whether it is new, and of another instance */
  isForeign(last: unknown, peer: Peer): boolean;
  /** Hears that another instance of this node spoke after this one. If so, this node signs nothing from now on. */
  heed(accusation: unknown, peer: Peer): Promise<void>;
}

interface Heard {
  /** the newest statements, the last one at the end */
  readonly recent: { readonly statement: Statement; readonly hash: string }[];
  /** instances that others came after */
  readonly replaced: string[];
  accusation?: readonly [Statement, Statement];
}

const MOST_RECENT = 16;
const MOST_REPLACED = 16;
const MOST_OWN = 256;
/** A process on PostgreSQL says that it runs with every statement, so more often than this. */
const ALIVE_MS = 75_000;
const SAY_MS = 8_000;
/**
 * Who starts takes the processes whose rows it finds for its own. A row that is still as it was found after this number of looks came with a
 * copy of the database. Looks count, and not the time: a machine that slept for an hour must not take its own processes for copies.
 */
const LOOKS = 2;

export function createInstances(ctx: Context): Instances {
  const { keys, random, clock } = ctx;
  const publicKey = toHex(keys.identity.publicKey);
  const instance = toHex(random(16));
  const heard = new Map<string, Heard>();
  /** by node id: what that node said that it heard of this one last */
  const echoes = new Map<string, string>();
  /** the newest statements of this process by hash, and the log key at that time */
  const own = new Map<string, string>();
  const settled = new Set<string>();
  let beside: Promise<readonly string[]> = Promise.resolve([instance]);
  let saidAt = -Infinity;
  /** how often this process has said that it runs */
  let looks = 0;
  let hasLooked = false;
  /** rows that were there at the first look, by instance */
  const found = new Map<string, number>();
  /** Processes that wrote into this database since then. They are no copies, however long they have been silent. */
  const neighbours = new Set<string>();

  /** Processes of one node that share a PostgreSQL are no copies of each other. What this process says must name what the last look found. */
  async function besides(how: 'lately' | 'now' = 'lately'): Promise<readonly string[]> {
    if (ctx.store.engine === 'sqljs') return await beside;
    const now = clock.now();
    const isDue = now - saidAt >= SAY_MS;
    if (how === 'now' || isDue) {
      // A peer can ask for a look at any time, so such looks don't count.
      if (isDue) {
        saidAt = now;
        looks += 1;
      }
      beside = look(now);
    }
    try {
      return await beside;
    } catch (error) {
      saidAt = -Infinity;
      throw error;
    }
  }

  async function look(now: number): Promise<readonly string[]> {
    return await ctx.store.transaction(async (db) => {
      await db
        .insertInto('node_instances')
        .values({ id: instance, seen_at: now })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now }))
        .execute();
      const rows = await db.selectFrom('node_instances').selectAll().orderBy('seen_at', 'desc').execute();
      const running = rows.filter((row) => row.id === instance || runs(row.id, row.seen_at));
      hasLooked = true;
      const silentSince = now - ALIVE_MS;
      await db.deleteFrom('node_instances').where('seen_at', '<', silentSince).execute();
      return running.filter((row) => row.seen_at >= silentSince).map(({ id }) => id);
    });
  }

  /** Clocks are not compared: a row that is new or renewed shows that somebody writes into this very database. */
  function runs(id: string, row: number): boolean {
    if (!hasLooked && !found.has(id)) found.set(id, row);
    if (found.get(id) !== row) remember(neighbours, id, MOST_OWN);
    return neighbours.has(id) || looks <= LOOKS;
  }

  async function isBeside(id: string): Promise<boolean> {
    return (await besides('now')).includes(id) || neighbours.has(id);
  }

  return {
    async state(peer) {
      const others = (await besides()).filter((id) => id !== instance);
      const statement = makeStatement(keys, {
        instance,
        beside: [instance, ...others],
        after: echoes.get(peer.nodeId) ?? '',
        nonce: toHex(random(16)),
      });
      own.set(hashOf(publicKey, statement), logKeyOf(keys));
      forgetOldest(own, MOST_OWN);
      return statement;
    },
    lastOf: (nodeId) => heard.get(nodeId)?.recent.at(-1)?.hash,
    accusationOf: (nodeId) => heard.get(nodeId)?.accusation,
    async hear(said, peer) {
      const statement = statementBy(said, peer.publicKey);
      if (statement === undefined) return;
      if (peer.nodeId === keys.nodeId) {
        // Only a copy of this node can have a connection under its name.
        const origin = originOf(logKeyOf(keys));
        if (!(await isBeside(statement.instance)))
          await stopSigning(ctx, 'cloned', { toldBy: peer.nodeId, origin, instance, other: statement.instance });
        return;
      }
      const known = heard.get(peer.nodeId) ?? { recent: [], replaced: [] };
      heard.set(peer.nodeId, known);
      const { recent, replaced } = known;
      const last = recent.at(-1)?.statement;
      const named = recent.find(({ hash }) => hash === statement.after)?.statement;
      if (named !== undefined && !isOneStore(named, statement)) known.accusation = [named, statement];
      if (last !== undefined && !isOneStore(last, statement)) {
        if (replaced.includes(statement.instance)) {
          const instances = [last.instance, statement.instance];
          await notice(ctx, peer.nodeId, 'copied', { instances });
        }
        if (!replaced.includes(last.instance)) replaced.push(last.instance);
        replaced.splice(0, replaced.length - MOST_REPLACED);
      }
      recent.push({ statement, hash: hashOf(peer.publicKey, statement) });
      recent.splice(0, recent.length - MOST_RECENT);
    },
    isForeign(last, { nodeId }) {
      if (typeof last !== 'string' || !/^[0-9a-f]{64}$/.test(last) || echoes.get(nodeId) === last) return false;
      echoes.set(nodeId, last);
      return !own.has(last);
    },
    async heed(accusation, peer) {
      if (!Array.isArray(accusation) || accusation.length !== 2) return;
      const [earlier, later] = accusation.map((one) => statementBy(one, publicKey));
      if (earlier?.instance !== instance || later === undefined || isOneStore(earlier, later)) return;
      const hash = hashOf(publicKey, earlier);
      const origin = originOf(logKeyOf(keys));
      if (later.after !== hash || (await isBeside(later.instance))) return;
      // What a copy said before the recovery, others tell for a while after it. A copy that still runs is heard again.
      if ((own.get(hash) ?? logKeyOf(keys)) !== logKeyOf(keys)) return;
      const id = hashOf(publicKey, later);
      if (settled.has(id)) return;
      remember(settled, id, MOST_OWN);
      await stopSigning(ctx, 'cloned', { toldBy: peer.nodeId, origin, instance, other: later.instance });
    },
  };
}

/** Keeps the newest. */
function remember(known: Set<string>, one: string, most: number): void {
  known.add(one);
  forgetOldest(known, most);
}

function forgetOldest(known: Set<string> | Map<string, string>, most: number): void {
  for (const oldest of known.keys()) {
    if (known.size <= most) return;
    known.delete(oldest);
  }
}
