import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { loadConfig } from '../../../../src/config/load.ts';
import { deriveNodeKeys } from '../../../../src/config/node-keys.ts';
import { transaction, type Context } from '../../../../src/service/context.ts';
import { fromHex, systemRandom, toHex } from '../../../../src/crypto/bytes.ts';
import { defaultLimits } from '../../../../src/platform/network/limits.ts';
import { startNetwork } from '../../../../src/platform/network/network.ts';
import type { AdmissionPolicy } from '../../../../src/service/ports/network.ts';
import { createSwitchboard } from '../../../../src/platform/network/switchboard.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { Problem } from '../../../../src/base/problem.ts';
import { openDatabase } from '../../../../src/platform/store/open.ts';

// One of two nodes that send messages to each other and are killed. Every life adds some messages, until `total` were sent. It says `+` for
// each message that it handled or whose outcome it noted, and `report` on its input has it tell what its store has.

interface Setup {
  readonly dataDir: string;
  readonly url?: string;
  readonly secret: string;
  readonly other: { readonly secret: string; readonly address: string };
  readonly listen: string;
  readonly total: number;
  readonly eachLife: number;
}

const setup = JSON.parse(process.argv[2] ?? '') as Setup;
const say = (what: string): void => void process.stdout.write(`${what}\n`);
const { config } = await loadConfig({ flags: {}, env: {}, home: '/nowhere', cwd: '/nowhere' });
const keys = deriveNodeKeys(fromHex(setup.secret));
const other = deriveNodeKeys(fromHex(setup.other.secret));
const both = new Map([keys, other].map((one) => [one.nodeId, toHex(one.identity.publicKey)]));
const store = await openDatabase({ dataDir: setup.dataDir, url: setup.url, create: true, migrate: true });
const network = { enabled: true, listen: [setup.listen], peers: [setup.other.address], announce: [] };
type Parts = Pick<Context, 'store' | 'db' | 'clock' | 'random' | 'log' | 'keys' | 'config' | 'afterCommit'>;
const parts: Parts = {
  store,
  db: store.db,
  clock: Date,
  random: systemRandom,
  log: silentLog,
  keys,
  config: { ...config, network },
  afterCommit: (action) => void action(),
};
const number = sql.raw(store.engine === 'sqljs' ? 'integer primary key autoincrement' : 'serial primary key');
for (const table of ['sent', 'handled', 'noted'].map((name) => sql.raw(`test_${name}`)))
  await sql`create table if not exists ${table} (n ${number}, what text not null)`.execute(store.db);

const admission: AdmissionPolicy = {
  isAdmitted: async (nodeId) => both.has(nodeId),
  members: async () => [{ nodeId: other.nodeId, addresses: [setup.other.address] }],
  directory: {
    head: async () => ({ poolId: 'ab'.repeat(32), version: 1 }),
    standing: async (_, nodeId) => (both.has(nodeId) ? 'admitted' : 'absent'),
    keyAt: async (_, nodeId) => both.get(nodeId),
    serving: async () => undefined,
    assertSigning: async () => undefined,
  },
};
const switchboard = createSwitchboard();
const { port } = switchboard;
const channels = ['one', 'two'] as const;
for (const channel of channels) {
  port.receive(channel, async (tx, { id }) => {
    await sql`insert into test_handled (what) values (${`${channel} ${id}`})`.execute(tx.db);
    if (Number(id) % 50 === 7) throw new Problem('forbidden', 'FORBIDDEN', 'Not this one.');
    tx.afterCommit(() => say('+'));
  });
  port.onOutcome(channel, async (tx, { id, result }) => {
    await sql`insert into test_noted (what) values (${`${channel} ${id} ${result.outcome}`})`.execute(tx.db);
    tx.afterCommit(() => say('+'));
  });
}
await startNetwork(parts, {
  switchboard,
  admission,
  limits: { ...defaultLimits, retryMs: { least: 20, most: 200 }, answerMs: 60_000 },
});
say('ready');

const rows = async (name: string): Promise<string[]> => {
  const found = await sql<{ what: string }>`select what from ${sql.raw(`test_${name}`)} order by n`.execute(store.db);
  return found.rows.map(({ what }) => what);
};

createInterface({ input: process.stdin }).on('line', () => {
  void (async () => {
    const waiting = await store.db.selectFrom('outbox_messages').select('id').execute();
    const [sent, handled, noted] = await Promise.all(['sent', 'handled', 'noted'].map(rows));
    say(JSON.stringify({ sent, handled, noted, waiting: waiting.length }));
  })();
});

const expiresAt = Date.now() + 3_600_000;
for (let added = 0; added < setup.eachLife;) {
  const count = await transaction(parts, async (tx) => {
    const { rows: last } = await sql<{ sent: number }>`select count(*) as sent from test_sent`.execute(tx.db);
    const from = last[0]?.sent ?? 0;
    const to = Math.min(setup.total, from + 3);
    for (let id = from; id < to; id += 1) {
      const channel = channels[id % 2] ?? 'one';
      await sql`insert into test_sent (what) values (${`${channel} ${id}`})`.execute(tx.db);
      await port.send(tx, other.nodeId, channel, { id: String(id), body: { id }, expiresAt });
    }
    return to - from;
  });
  if (count === 0) break;
  added += count;
}
