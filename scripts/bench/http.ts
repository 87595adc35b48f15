// What `conclave serve` costs over a bare h3 handler, how fast it is ready, what it keeps in memory, and whether a million sessions
// change that. Run after `npm run build`: npx tsx scripts/bench/http.ts [seconds of each measurement]
// Smaller numbers (`--few 10 --many 1000 --starts 3 --rounds 1 --requests 100`) only show that it works. `--only sessions` leaves out the rest.
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fillSessions } from './fill-sessions.ts';
import { load, wireRequest } from './load-result.ts';
import { cleanEnvironment, residentMiB, startBare, startConclave } from './server-process.ts';
import { program } from './served-node.ts';
import { median, printTable } from './table.ts';

interface Measured {
  readonly what: string;
  readonly value: string;
  readonly ratio: number;
  readonly bound: string;
  readonly kept: boolean;
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '100000' },
    few: { type: 'string', default: '1000' },
    many: { type: 'string', default: '1000000' },
    starts: { type: 'string', default: '11' },
    only: { type: 'string' },
  },
});
const seconds = Number(positionals[0] ?? 4);
const [rounds, requests, fewSessions, manySessions, starts] = [
  values.rounds,
  values.requests,
  values.few,
  values.many,
  values.starts,
].map(Number) as [number, number, number, number, number];
const connections = 64;
const parts = { startUp, throughput, sessions };

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
const dataDir = join(folder, 'data');
try {
  const results: Measured[] = [];
  for (const [name, measure] of Object.entries(parts)) {
    if (values.only === undefined || values.only === name) results.push(...(await measure()));
  }
  printTable(
    ['', 'measured', 'ratio', 'bound', ''],
    results.map(({ what, value, ratio, bound, kept }) => [
      what,
      value,
      ratio.toFixed(2),
      bound,
      kept ? 'ok' : 'MISSED',
    ]),
  );
  if (results.some(({ kept }) => !kept)) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Makes a store with an administrator unless there is one. */
function initialise(at: string): void {
  const env = cleanEnvironment({ CONCLAVE_DATA_DIR: at });
  const line = [program, 'init', '--generate-password', '--if-missing'];
  const { status, stderr } = spawnSync(process.execPath, line, { env });
  if (status !== 0) throw new Error(`conclave init ended with ${status}: ${stderr.toString()}`);
}

/** Alternating, so that a slow moment of the machine slows both. */
async function startUp(): Promise<Measured[]> {
  initialise(dataDir);
  const bare: number[] = [];
  const served: number[] = [];
  for (let round = 0; round < starts; round += 1) {
    const started = performance.now();
    spawnSync(process.execPath, ['-e', '0'], { env: cleanEnvironment() });
    bare.push(performance.now() - started);
    served.push(await readyIn(dataDir));
  }
  const ratio = median(served) / median(bare);
  const value = `${median(served).toFixed(0)} ms, bare Node ${median(bare).toFixed(0)} ms`;
  return [{ what: 'serve ready', value, ratio, bound: '≤ 8 × node -e 0', kept: ratio <= 8 }];
}

async function readyIn(at: string): Promise<number> {
  await using server = await startConclave(at);
  return server.readyMs;
}

async function signIn(port: number, at: string): Promise<{ token: string; body: string }> {
  const note = await readFile(join(at, 'first-administrator.txt'), 'utf8');
  const [username, password] = ['username', 'password'].map(
    (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(note)?.[1],
  );
  const base = `http://127.0.0.1:${port}/api/user`;
  const headers = { 'content-type': 'application/json' };
  const login = await fetch(`${base}/login`, { method: 'POST', headers, body: JSON.stringify({ username, password }) });
  const { token } = ((await login.json()) as { data: { token: string } }).data;
  const verified = await fetch(`${base}/verify`, { headers: { authorization: `Bearer ${token}` } });
  return { token, body: await verified.text() };
}

function verifyWith(token: string): string {
  return wireRequest('GET', '/api/user/verify', { authorization: `Bearer ${token}` });
}

async function throughput(): Promise<Measured[]> {
  initialise(dataDir);
  await using server = await startConclave(dataDir);
  const { token, body } = await signIn(server.port, dataDir);
  await sleep(5_000);
  const atRest = await residentMiB(server.pid);
  await using bare = await startBare(body);
  const kinds = {
    bare: { port: bare.port, request: verifyWith(token) },
    verify: { port: server.port, request: verifyWith(token) },
    settings: {
      port: server.port,
      request: wireRequest('POST', '/api/user/settings', { authorization: `Bearer ${token}` }, '{"darkMode":true}'),
    },
  };
  const rates: Record<keyof typeof kinds, number[]> = { bare: [], verify: [], settings: [] };
  let answered = 0;
  // The first round is for V8 to compile what is hot.
  for (let round = -1; round < rounds || answered < requests; round += 1) {
    for (const name of ['bare', 'verify', 'settings'] as const) {
      const { answers, perSecond } = await load({ ...kinds[name], connections, seconds });
      if (name !== 'bare') answered += answers;
      if (round >= 0) rates[name].push(perSecond);
    }
  }
  await sleep(5_000);
  const afterwards = await residentMiB(server.pid);
  const base = median(rates.bare);
  const rate = (name: 'verify' | 'settings', least: number): Measured => {
    const ratio = median(rates[name]) / base;
    const value = `${median(rates[name]).toFixed(0)}/s, bare ${base.toFixed(0)}/s`;
    return {
      what: `${name}, ${connections} connections`,
      value,
      ratio,
      bound: `≥ ${least} × bare h3`,
      kept: ratio >= least,
    };
  };
  const growth = afterwards / atRest;
  return [
    rate('verify', 0.45),
    rate('settings', 0.2),
    {
      what: 'memory at rest',
      value: `${atRest.toFixed(0)} MiB`,
      ratio: 1,
      bound: '< 130 MB',
      kept: atRest * 1.048576 < 130,
    },
    {
      what: `memory after ${answered} requests`,
      value: `${afterwards.toFixed(0)} MiB`,
      ratio: growth,
      bound: '≤ 1.2 × at rest',
      kept: growth <= 1.2,
    },
  ];
}

/** A store with a thousand sessions and one with a million. */
async function sessions(): Promise<Measured[]> {
  const few = { at: join(folder, 'few'), ready: [] as number[], verify: [] as number[] };
  const many = { at: join(folder, 'many'), ready: [] as number[], verify: [] as number[] };
  for (const [{ at }, count] of [
    [few, fewSessions],
    [many, manySessions],
  ] as const) {
    initialise(at);
    await fillSessions(at, count);
  }
  for (let round = 0; round < starts; round += 1) {
    for (const store of inTurns(round, few, many)) store.ready.push(await readyIn(store.at));
  }
  await measureVerify(few, many);
  const names = `${manySessions} sessions`;
  const start = median(many.ready) / median(few.ready);
  const verify = median(many.verify) / median(few.verify);
  return [
    {
      what: `verify with ${names}`,
      value: `${median(many.verify).toFixed(0)}/s, with ${fewSessions} ${median(few.verify).toFixed(0)}/s`,
      ratio: verify,
      bound: `≥ 0.85 × with ${fewSessions}`,
      kept: verify >= 0.85,
    },
    {
      what: `ready with ${names}`,
      value: `${median(many.ready).toFixed(0)} ms, with ${fewSessions} ${median(few.ready).toFixed(0)} ms`,
      ratio: start,
      bound: `≤ 1.5 × with ${fewSessions}`,
      kept: start <= 1.5,
    },
  ];
}

/** Both are up at once, since one that nobody asks costs nothing: the machine is the same for both, however it drifts. */
async function measureVerify(...stores: readonly [Verified, Verified]): Promise<void> {
  await using one = await startConclave(stores[0].at);
  await using other = await startConclave(stores[1].at);
  const asked = await Promise.all(
    [one, other].map(async ({ port }, index) => {
      const store = stores[index as 0 | 1];
      return { port, request: verifyWith((await signIn(port, store.at)).token), rates: store.verify };
    }),
  );
  const [first, second] = asked as [(typeof asked)[0], (typeof asked)[0]];
  // The first round is for V8 to compile what is hot.
  for (let round = -1; round < rounds; round += 1) {
    for (const { port, request, rates } of inTurns(round, first, second)) {
      const { perSecond } = await load({ port, connections, seconds, request });
      if (round >= 0) rates.push(perSecond);
    }
  }
}

interface Verified {
  readonly at: string;
  readonly verify: number[];
}

/** Who comes first changes too: what the one before leaves behind must not always meet the same one. */
function inTurns<T>(round: number, one: T, other: T): [T, T] {
  return round % 2 === 0 ? [one, other] : [other, one];
}
