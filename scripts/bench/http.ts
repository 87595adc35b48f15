// What `conclave serve` costs over a bare h3 handler, how fast it is ready, what it keeps in memory, and whether a million sessions
// change that. Run after `npm run build`: npx tsx scripts/bench/http.ts [--seconds 4, of each measurement] [--rounds 5] [--requests 100000]
// [--few 1000] [--many 1000000] [--starts 11] [--only startUp|throughput|sessions] [--small]
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/platform/store/open.ts';
import type { SessionRow } from '../../src/platform/store/tables/tables.ts';
import { inTurns, median, type Measured, ownFolder, report, settings } from './harness.ts';
import { load } from './load.ts';
import { cleanEnvironment, initStore, memoryMiB, signIn, startBare, startConclave } from './server.ts';
import { wireRequest } from './wire.ts';

const { seconds, rounds, requests, few, many, starts, rest, only } = settings(
  { seconds: 4, rounds: 5, requests: 100_000, few: 1_000, many: 1_000_000, starts: 11, rest: 5, only: '' },
  { seconds: 1, rounds: 1, requests: 100, few: 10, many: 1_000, starts: 2, rest: 1 },
);
const connections = 64;
/** As many rows as one statement takes. */
const BATCH = 500;
const parts = { startUp, throughput, sessions };

await using folder = await ownFolder();
const dataDir = join(folder.path, 'data');
const results: Measured[] = [];
for (const [name, measure] of Object.entries(parts))
  if (only === '' || only === name) results.push(...(await measure()));
report('Requests, memory and readiness of a server', results);

async function startUp(): Promise<Measured[]> {
  initStore(dataDir);
  const took = await inTurns(
    starts,
    {
      bare: () => void spawnSync(process.execPath, ['-e', '0'], { env: cleanEnvironment() }),
      served: async () => await readyIn(dataDir),
    },
    { warmUps: 0 },
  );
  const [value, bare] = [median(took.served), median(took.bare)];
  const nextTo = `node -e 0, ${bare.toFixed(0)} ms`;
  return [{ what: 'serve ready', value, unit: 'ms', nextTo, ratio: value / bare, ratioAtMost: 8 }];
}

async function readyIn(at: string): Promise<number> {
  await using server = await startConclave(at);
  return server.readyMs;
}

/** The request of a member who asks who they are. */
async function verifying(port: number, at: string): Promise<{ readonly request: string; readonly body: string }> {
  const { headers, ask } = await signIn(port, at);
  const body = await (await ask('GET', '/api/user/verify')).text();
  return { request: wireRequest('GET', '/api/user/verify', headers), body };
}

async function throughput(): Promise<Measured[]> {
  initStore(dataDir);
  await using server = await startConclave(dataDir);
  const { headers } = await signIn(server.port, dataDir);
  const { request: verify, body } = await verifying(server.port, dataDir);
  const settingsRequest = wireRequest('POST', '/api/user/settings', headers, '{"darkMode":true}');
  await sleep(rest * 1_000);
  const atRest = await memoryMiB(server.pid, 'resident');
  await using bare = await startBare(body);
  const sent = { answers: 0 };
  const rateOf = async (request: string): Promise<number> => {
    const { answers, perSecond } = await load({ port: server.port, request, connections, seconds });
    sent.answers += answers;
    return perSecond;
  };
  const works = {
    bare: async () => (await load({ port: bare.port, request: verify, connections, seconds })).perSecond,
    verify: async () => await rateOf(verify),
    settings: async () => await rateOf(settingsRequest),
  };
  const rates = await inTurns(rounds, works);
  while (sent.answers < requests)
    for (const name of ['bare', 'verify', 'settings'] as const) rates[name].push(await works[name]());
  await sleep(rest * 1_000);
  const afterwards = await memoryMiB(server.pid, 'resident');
  const base = median(rates.bare);
  const rate = (name: 'verify' | 'settings', ratioAtLeast: number): Measured => {
    const value = median(rates[name]);
    const nextTo = `bare h3, ${base.toFixed(0)}/s`;
    return {
      what: `${name}, ${connections} connections`,
      value,
      unit: '/s',
      nextTo,
      ratio: value / base,
      ratioAtLeast,
    };
  };
  return [
    rate('verify', 0.45),
    rate('settings', 0.2),
    { what: 'memory at rest', value: atRest * 1.048576, unit: 'MB', atMost: 130 },
    {
      what: `memory after ${sent.answers} requests`,
      value: afterwards * 1.048576,
      unit: 'MB',
      nextTo: 'at rest',
      ratio: afterwards / atRest,
      ratioAtMost: 1.2,
    },
  ];
}

/** A store with a thousand sessions and one with a million. */
async function sessions(): Promise<Measured[]> {
  const stores = { few: join(folder.path, 'few'), many: join(folder.path, 'many') };
  for (const [at, count] of [
    [stores.few, few],
    [stores.many, many],
  ] as const) {
    initStore(at);
    await fillSessions(at, count);
  }
  const ready = await inTurns(
    starts,
    { few: async () => await readyIn(stores.few), many: async () => await readyIn(stores.many) },
    { warmUps: 0, swapped: true },
  );
  const rates = await verifyRates(stores);
  const verify = { few: median(rates.few), many: median(rates.many) };
  const start = { few: median(ready.few), many: median(ready.many) };
  return [
    {
      what: `verify with ${many} sessions`,
      value: verify.many,
      unit: '/s',
      nextTo: `with ${few}, ${verify.few.toFixed(0)}/s`,
      ratio: verify.many / verify.few,
      ratioAtLeast: 0.85,
    },
    {
      what: `ready with ${many} sessions`,
      value: start.many,
      unit: 'ms',
      nextTo: `with ${few}, ${start.few.toFixed(0)} ms`,
      ratio: start.many / start.few,
      ratioAtMost: 1.5,
    },
  ];
}

/** Both are up at once, since one that nobody asks costs nothing: the machine is the same for both, however it drifts. */
async function verifyRates(
  stores: Readonly<Record<'few' | 'many', string>>,
): Promise<Record<'few' | 'many', number[]>> {
  await using one = await startConclave(stores.few);
  await using other = await startConclave(stores.many);
  const asked = {
    few: { port: one.port, request: (await verifying(one.port, stores.few)).request },
    many: { port: other.port, request: (await verifying(other.port, stores.many)).request },
  };
  const rate = async (which: 'few' | 'many'): Promise<number> =>
    (await load({ ...asked[which], connections, seconds })).perSecond;
  const works = { few: async () => await rate('few'), many: async () => await rate('many') };
  return await inTurns(rounds, works, { swapped: true });
}

/** Adds sessions of the store's first member until there are `count`. Nobody has their tokens. */
async function fillSessions(at: string, count: number): Promise<void> {
  await using database = await openDatabase({ dataDir: at, command: 'a benchmark' });
  const { id: memberId } = await database.db.selectFrom('members').select('id').limit(1).executeTakeFirstOrThrow();
  const { rows } = await database.db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  const now = Date.now();
  for (let first = rows; first < count; first += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - first) }, (_, i) =>
      sessionRow(memberId, first + i, now),
    );
    await database.transaction(async (db) => void (await db.insertInto('sessions').values(batch).execute()));
  }
}

function sessionRow(memberId: string, number: number, now: number): SessionRow {
  const digest = createHash('sha256').update(`session ${number}`).digest('hex');
  return {
    id: digest.slice(0, 32),
    member_id: memberId,
    jti_hash: digest,
    sealed_key: null,
    created_at: now,
    last_used_at: now,
    expires_at: now + 7 * 86_400_000,
    user_agent: 'benchmark',
  };
}
