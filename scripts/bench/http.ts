// What `conclave serve` costs over a bare h3 handler, how fast it is ready, what it keeps in memory, and whether a million sessions
// change that. Run after `npm run build`: npx tsx scripts/bench/http.ts [seconds of each measurement]
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

const seconds = Number(process.argv[2] ?? 4);
const rounds = 5;
const connections = 64;
const requests = 100_000;
const manySessions = 1_000_000;
const fewSessions = 1_000;
const starts = 11;

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
const dataDir = join(folder, 'data');
try {
  const results = [...(await startUp()), ...(await throughput()), ...(await sessions())];
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

function conclave(...line: string[]): void {
  const env = cleanEnvironment({ CONCLAVE_DATA_DIR: dataDir });
  const { status, stderr } = spawnSync(process.execPath, [program, ...line], { env });
  if (status !== 0) throw new Error(`conclave ${line.join(' ')} ended with ${status}: ${stderr.toString()}`);
}

/** Alternating, so that a slow moment of the machine slows both. */
async function startUp(): Promise<Measured[]> {
  conclave('init', '--generate-password');
  const bare: number[] = [];
  const served: number[] = [];
  for (let round = 0; round < starts; round += 1) {
    const started = performance.now();
    spawnSync(process.execPath, ['-e', '0'], { env: cleanEnvironment() });
    bare.push(performance.now() - started);
    served.push(await readyIn());
  }
  const ratio = median(served) / median(bare);
  const value = `${median(served).toFixed(0)} ms, bare Node ${median(bare).toFixed(0)} ms`;
  return [{ what: 'serve ready', value, ratio, bound: '≤ 8 × node -e 0', kept: ratio <= 8 }];
}

async function readyIn(): Promise<number> {
  await using server = await startConclave(dataDir);
  return server.readyMs;
}

async function signIn(port: number): Promise<{ token: string; body: string }> {
  const note = await readFile(join(dataDir, 'first-administrator.txt'), 'utf8');
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
  await using server = await startConclave(dataDir);
  const { token, body } = await signIn(server.port);
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

/** The same store with a thousand sessions and with a million. */
async function sessions(): Promise<Measured[]> {
  const measured: { readonly ready: number; readonly verify: number }[] = [];
  for (const count of [fewSessions, manySessions]) {
    await fillSessions(dataDir, count);
    const ready: number[] = [];
    for (let round = 0; round < starts; round += 1) ready.push(await readyIn());
    await using server = await startConclave(dataDir);
    const { token } = await signIn(server.port);
    const rates: number[] = [];
    for (let round = -1; round < 3; round += 1) {
      const { perSecond } = await load({ port: server.port, connections, seconds, request: verifyWith(token) });
      if (round >= 0) rates.push(perSecond);
    }
    measured.push({ ready: median(ready), verify: median(rates) });
  }
  const [few, many] = measured;
  if (few === undefined || many === undefined) throw new Error('nothing was measured');
  const verify = many.verify / few.verify;
  const start = many.ready / few.ready;
  return [
    {
      what: 'verify with a million sessions',
      value: `${many.verify.toFixed(0)}/s, with a thousand ${few.verify.toFixed(0)}/s`,
      ratio: verify,
      bound: '≥ 0.85 × a thousand',
      kept: verify >= 0.85,
    },
    {
      what: 'ready with a million sessions',
      value: `${many.ready.toFixed(0)} ms, with a thousand ${few.ready.toFixed(0)} ms`,
      ratio: start,
      bound: '≤ 1.5 × a thousand',
      kept: start <= 1.5,
    },
  ];
}
