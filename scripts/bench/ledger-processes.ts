import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../src/config/load.ts';
import { openEngine, type Engine } from '../../src/engine.ts';
import { silentLog } from '../../src/log.ts';
import { cheapCosts } from '../../test/support/cheap-costs.ts';
import { durable, startPostgres } from '../../test/support/postgres.ts';
import type { Slice, Taken } from './ledger-reader.ts';
import { median, printTable } from './table.ts';

const processes = 2;
const readers = 32;
const rounds = 9;
const warmUps = 10;
const target = 0.7;
/** from the answer to the place, at half of the full rate */
const targetMs = 50;

async function next<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, 'message')) as [T];
  return message;
}

function together(taken: readonly Taken[]): Taken {
  return {
    perSecond: taken.reduce((sum, one) => sum + one.perSecond, 0),
    failed: taken.reduce((sum, one) => sum + one.failed, 0),
    p99: Math.max(...taken.map((one) => one.p99)),
    placedMs: Math.max(...taken.map((one) => one.placedMs)),
  };
}

interface Readable {
  readonly token: string;
  readonly paths: readonly string[];
}

/** One member with a vault for each reader, and an entry in each. */
async function fill(engine: Engine): Promise<Readable> {
  const post = async <T>(path: string, body: unknown, token?: string): Promise<T> => {
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const request = new Request(`http://bench.test/api${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const response = await engine.fetch(request);
    const answer = (await response.json()) as { readonly data: T };
    if (response.status >= 300) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const account = { username: 'alice', email: 'alice@example.org', password: 'the password of alice' };
  const { token } = await post<{ token: string }>('/user/register', account);
  const paths: string[] = [];
  for (let reader = 0; reader < readers; reader += 1) {
    const named = { name: `Vault ${reader}`, masterPassword: `the master password of vault ${reader}` };
    const made = await post<{ vault: { id: string } }>('/passvault/vaults', named, token);
    const vault = `/passvault/vaults/${made.vault.id}`;
    const secret = { type: 'login', title: 'Example', username: 'alice', password: 'correct horse battery staple' };
    const { entry } = await post<{ entry: { id: string } }>(`${vault}/entries`, secret, token);
    paths.push(`/api${vault}/entries/${entry.id}`);
  }
  return { token, paths };
}

/**
 * Measures how many entries of password vaults two nodes over one database of PostgreSQL show to 32 readers at once: as the program is,
 * where each read is recorded in the ledger, and beside it with the same records and no ledger. Entries get their places meanwhile, in the
 * same processes.
 * @returns whether the target is reached
 */
export async function measureProcesses(sliceMs: number): Promise<boolean> {
  await using postgres = await startPostgres(durable);
  const dataDir = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
  try {
    const env = { ...process.env, CONCLAVE_DATABASE: postgres.url };
    const { config, secrets } = await loadConfig({ flags: { 'data-dir': dataDir }, env, home: dataDir, cwd: dataDir });
    const options = { create: true, log: silentLog };
    let readable: Readable;
    {
      await using engine = await openEngine({ ...config, ...cheapCosts(config) }, secrets, options);
      readable = await fill(engine);
    }
    return await measure(dataDir, env, readable, sliceMs);
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

async function measure(
  dataDir: string,
  env: NodeJS.ProcessEnv,
  { token, paths }: Readable,
  sliceMs: number,
): Promise<boolean> {
  const start = async (imports: readonly string[]): Promise<ChildProcess[]> => {
    const execArgv = ['tsx', ...imports].flatMap((name) => ['--import', name]);
    const program = fileURLToPath(new URL('ledger-reader.ts', import.meta.url));
    const children = Array.from({ length: processes }, () => fork(program, [dataDir], { execArgv, env }));
    await Promise.all(children.map(next));
    return children;
  };
  const recording = await start([]);
  const unrecorded = await start([new URL('without-entries.mjs', import.meta.url).href]);
  const each = readers / processes;
  const slice = async (children: readonly ChildProcess[], everyMs = 0): Promise<Taken> => {
    const taken = children.map((child, at) => {
      const wanted: Slice = { token, paths: paths.slice(at * each, (at + 1) * each), ms: sliceMs, everyMs };
      child.send(wanted);
      return next<Taken>(child);
    });
    return together(await Promise.all(taken));
  };

  // Without this, most of what is measured is V8 that compiles the way with an entry, which is the longer one. Servers run for days.
  for (let round = 0; round < warmUps; round += 1)
    for (const children of [recording, unrecorded]) await slice(children);
  const rates: { with: Taken[]; without: Taken[] } = { with: [], without: [] };
  for (let round = 0; round < rounds; round += 1) {
    rates.with.push(await slice(recording));
    rates.without.push(await slice(unrecorded));
  }
  const ratio = median(rates.with.map((one, round) => one.perSecond / (rates.without[round]?.perSecond ?? 0)));
  const everyMs = (2 * 1_000 * readers) / median(rates.with.map(({ perSecond }) => perSecond));
  const half: Taken[] = [];
  for (let round = 0; round < rounds; round += 1) half.push(await slice(recording, everyMs));
  for (const child of [...recording, ...unrecorded]) child.disconnect();

  printTable(
    [`PostgreSQL, ${processes} processes, ${readers} readers`, 'per second', 'p99 ms', 'placed after ms, 95 %'],
    [
      ['an entry of a vault is read and recorded', ...numbersOf(rates.with)],
      ['the same, not recorded in the ledger', ...numbersOf(rates.without)],
      ['recorded, at half of that rate', ...numbersOf(half)],
    ],
  );
  const failed = [...rates.with, ...rates.without, ...half].reduce((sum, one) => sum + one.failed, 0);
  const placedMs = median(half.map((one) => one.placedMs));
  const reached = ratio >= target && failed === 0 && placedMs <= targetMs;
  process.stdout.write(
    `${reached ? 'reached' : 'missed'}: ${ratio.toFixed(2)} times the rate without the ledger (at least ${target}), ${failed} failures, placed after ${placedMs.toFixed(0)} ms at half of the rate (at most ${targetMs})\n`,
  );
  return reached;
}

function numbersOf(taken: readonly Taken[]): string[] {
  return [
    median(taken.map((one) => one.perSecond)).toFixed(0),
    median(taken.map((one) => one.p99)).toFixed(1),
    median(taken.map((one) => one.placedMs)).toFixed(0),
  ];
}
