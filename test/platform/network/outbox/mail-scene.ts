import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { loadConfig } from '../../../../src/config/load.ts';
import { deriveNodeKeys } from '../../../../src/config/node-keys.ts';
import { transaction } from '../../../../src/service/context.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import type { OutboxLimits } from '../../../../src/platform/network/outbox/limits.ts';
import type { MessageHandler, MessageOrder, OutcomeNote } from '../../../../src/service/ports/outbox.ts';
import type { EngineName } from '../../../../src/platform/store/database.ts';
import type { OutboxQueueRow } from '../../../../src/platform/store/tables/outbox.ts';
import { collectLog, type CollectedLog } from '../../../support/collected-log.ts';
import { testPool, type GossipParts, type TestPool } from '../../../support/gossip-nodes.ts';
import { memoryNetwork, type MemoryNetwork } from '../../../support/memory-network.ts';
import type { MemoryNode } from '../../../support/memory-node.ts';
import { openTestStore } from '../../../support/stores.ts';

const DAY = 86_400_000;

/** A node that sends and receives on the channel `test`. */
export interface MailNode extends AsyncDisposable {
  readonly nodeId: string;
  readonly node: MemoryNode;
  readonly parts: GossipParts;
  readonly log: CollectedLog;
  /** what the handlers of the node wrote, in order */
  handled(): Promise<unknown[]>;
  /** what its outcome notes wrote, in order: id, outcome, code */
  outcomes(): Promise<string[]>;
  /** ids of the messages that wait for an outcome */
  waiting(): Promise<string[]>;
  /** the one queue whose last attempt failed */
  queue(): Promise<OutboxQueueRow>;
  /** sends all in one transaction */
  send(to: MailNode, ids: readonly string[], options?: { body?: unknown; expiresAt?: number }): Promise<void>;
  start(): Promise<void>;
  /** replaces what the node does with a message or an outcome; after that, it is noted as always */
  before(does: { handle?: MessageHandler; note?: OutcomeNote }): void;
}

export interface MailScene extends AsyncDisposable {
  readonly network: MemoryNetwork;
  readonly pool: TestPool & { version: number };
  readonly now: { at: number };
  open(name: string, started?: boolean, order?: MessageOrder): Promise<MailNode>;
  /** all have looked at what is due now, and it is done */
  look(): Promise<void>;
}

export function openMailScene(
  engine: EngineName,
  limits?: Partial<OutboxLimits>,
  order: MessageOrder = 'kept',
): MailScene {
  const now = { at: Date.parse('2026-01-15T12:00:00Z') };
  const network = memoryNetwork(() => now.at, limits);
  const pool = Object.assign(testPool(), { version: 1 });
  Object.assign(pool.directory, { head: async () => ({ poolId: 'ab'.repeat(32), version: pool.version }) });
  const nodes: MailNode[] = [];

  return {
    network,
    pool,
    now,
    async open(name, started = true, ownOrder = order) {
      const store = await openTestStore(engine);
      const keys = deriveNodeKeys(randomBytes(32));
      const log = collectLog();
      const { config } = await loadConfig({ flags: {}, env: {}, home: '/nowhere', cwd: '/nowhere' });
      const parts: GossipParts = {
        store,
        db: store.db,
        clock: { now: () => now.at },
        random: (size) => new Uint8Array(size).fill(128),
        log,
        keys,
        config: { ...config, network: { enabled: true, listen: [], peers: [], announce: [] } },
        afterCommit: (action) => void action(),
      };
      const text = engine === 'sqljs' ? 'integer primary key autoincrement' : 'serial primary key';
      for (const table of ['handled', 'noted'])
        await sql`create table ${sql.raw(`test_${table}`)} (n ${sql.raw(text)}, what text not null)`.execute(store.db);
      const node = network.node(name, keys.identity);
      let does: { handle?: MessageHandler; note?: OutcomeNote } = {};
      node.port.receive(
        'test',
        async (tx, message) => {
          await sql`insert into test_handled (what) values (${JSON.stringify(message.body)})`.execute(tx.db);
          await does.handle?.(tx, message);
        },
        ownOrder,
      );
      node.port.onOutcome('test', async (tx, settled) => {
        await does.note?.(tx, settled);
        const { result } = settled;
        const said = [settled.id, result.outcome, 'code' in result ? result.code : undefined].filter(Boolean);
        await sql`insert into test_noted (what) values (${said.join(' ')})`.execute(tx.db);
      });
      pool.admitted.add(keys.nodeId);
      pool.keys.set(keys.nodeId, toHex(keys.identity.publicKey));
      const rows = async (table: string) => {
        const found = await sql<{ what: string }>`select what from ${sql.raw(table)} order by n`.execute(store.db);
        return found.rows.map(({ what }) => what);
      };
      const made: MailNode = {
        nodeId: keys.nodeId,
        node,
        parts,
        log,
        handled: async () => (await rows('test_handled')).map((what) => JSON.parse(what) as unknown),
        outcomes: async () => await rows('test_noted'),
        async waiting() {
          const found = await store.db.selectFrom('outbox_messages').select('id').orderBy('place').execute();
          return found.map(({ id }) => id);
        },
        queue: async () => await store.db.selectFrom('outbox_queues').selectAll().executeTakeFirstOrThrow(),
        async send(to, ids, { body, expiresAt = now.at + DAY } = {}) {
          await transaction(parts, async (tx) => {
            for (const id of ids) await node.port.send(tx, to.nodeId, 'test', { id, body: body ?? id, expiresAt });
          });
        },
        start: async () => await node.start(pool, parts),
        before: (other) => void (does = other),
        async [Symbol.asyncDispose]() {
          node.stop();
          await network.settled();
          await store[Symbol.asyncDispose]();
        },
      };
      nodes.push(made);
      if (started) await made.start();
      return made;
    },
    async look() {
      await network.settled();
      await Promise.all(nodes.map(async ({ node }) => await node.look()));
      await network.settled();
    },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node[Symbol.asyncDispose]();
    },
  };
}
