// Two nodes over one PostgreSQL, which members read entries of password vaults of, for ledger.ts. Each node is this file in a process of its
// own, with its data directory as the argument and the URL of the database in CONCLAVE_DATABASE. Each message to it is a `Slice`; the answer
// is a `Taken`.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../src/config/load.ts';
import { openEngine, type Engine } from '../../src/node/engine.ts';
import { silentLog } from '../../src/base/log.ts';
import { cheapCosts } from '../../test/support/cheap-costs.ts';
import { inTurns, median, type Measured, ownFolder, partOf, ratioOf } from './harness.ts';
import { startEngine } from './server.ts';

const processes = 2;
const readers = 32;
const self = fileURLToPath(import.meta.url);

/** For `node --import`: the program as it would be if it recorded nothing in the ledger. */
const recordNothing = moduleOf(
  `import { register } from 'node:module'; register(${JSON.stringify(
    moduleOf(`
      const source = 'export const appendEntry = async (tx) => tx.ledger.entryId(tx.clock.now(), tx.random);';
      export const load = async (url, context, next) =>
        new URL(url).pathname.endsWith('/src/platform/ledger/append.ts')
          ? { format: 'module', shortCircuit: true, source }
          : await next(url, context);
    `),
  )});`,
);

function moduleOf(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

interface Slice {
  readonly token: string;
  /** one for each reader: the path of an entry */
  readonly paths: readonly string[];
  readonly ms: number;
  /** from the beginning of one read of a reader to the next, at least */
  readonly everyMs: number;
}

interface Taken {
  readonly perSecond: number;
  readonly failed: number;
  /** 99 of 100 reads took at most this many milliseconds */
  readonly p99: number;
  /** from the answer to the place of its entry: 19 of 20 took at most this many milliseconds */
  readonly placedMs: number;
}

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
 */
export async function measureReaders({
  rounds,
  warmUps,
  sliceMs,
}: {
  readonly rounds: number;
  readonly warmUps: number;
  readonly sliceMs: number;
}): Promise<Measured[]> {
  await using postgres = await startEngine('postgres');
  await using folder = await ownFolder();
  const dataDir = folder.path;
  const env = { ...process.env, ...postgres.env };
  const { config, secrets } = await loadConfig({ flags: { 'data-dir': dataDir }, env, home: dataDir, cwd: dataDir });
  let readable: Readable;
  {
    const options = { create: true, log: silentLog };
    await using engine = await openEngine({ ...config, ...cheapCosts(config) }, secrets, options);
    readable = await fill(engine);
  }
  const { token, paths } = readable;
  const start = async (imports: readonly string[]): Promise<ChildProcess[]> => {
    const execArgv = ['tsx', ...imports].flatMap((name) => ['--import', name]);
    const children = Array.from({ length: processes }, () => fork(self, [dataDir], { execArgv, env }));
    await Promise.all(children.map(next));
    return children;
  };
  const recorded = await start([]);
  const unrecorded = await start([recordNothing]);
  const each = readers / processes;
  const all: Record<'recorded' | 'unrecorded' | 'half', Taken[]> = { recorded: [], unrecorded: [], half: [] };
  const slice = async (into: keyof typeof all, round: number, everyMs = 0): Promise<number> => {
    const taken = (into === 'unrecorded' ? unrecorded : recorded).map((child, at) => {
      const wanted: Slice = { token, paths: paths.slice(at * each, (at + 1) * each), ms: sliceMs, everyMs };
      child.send(wanted);
      return next<Taken>(child);
    });
    const one = together(await Promise.all(taken));
    if (round >= 0) all[into].push(one);
    return one.perSecond;
  };
  // Without this, most of what is measured is V8 that compiles the way with an entry, which is the longer one. Servers run for days.
  const rates = await inTurns(
    rounds,
    {
      recorded: async (round) => await slice('recorded', round),
      unrecorded: async (round) => await slice('unrecorded', round),
    },
    { warmUps },
  );
  const everyMs = (2 * 1_000 * readers) / median(rates.recorded);
  await inTurns(rounds, { half: async (round) => await slice('half', round, everyMs) }, { warmUps: 0 });
  for (const child of [...recorded, ...unrecorded]) child.disconnect();

  const of = (which: keyof typeof all, value: (taken: Taken) => number): number => median(all[which].map(value));
  const latency = (which: keyof typeof all, what: string): Measured => ({
    what: `${what}, 99 of 100 within`,
    value: of(which, ({ p99 }) => p99),
    unit: 'ms',
  });
  return [
    {
      what: `an entry of a vault is read and recorded, ${processes} processes, ${readers} readers`,
      value: median(rates.recorded),
      unit: '/s',
      nextTo: `not recorded in the ledger, ${median(rates.unrecorded).toFixed(0)}/s`,
      ratio: ratioOf(rates.recorded, rates.unrecorded),
      ratioAtLeast: 0.7,
    },
    latency('recorded', 'recorded'),
    latency('unrecorded', 'not recorded'),
    latency('half', 'at half of that rate'),
    {
      what: 'placed after, at half of that rate',
      value: of('half', ({ placedMs }) => placedMs),
      unit: 'ms',
      atMost: 50,
    },
    {
      what: 'failures',
      value: Object.values(all).reduce((sum, taken) => sum + taken.reduce((more, one) => more + one.failed, 0), 0),
      unit: '',
      atMost: 0,
    },
  ];
}

/** One of the two nodes. */
async function answerSlices(dataDir: string): Promise<void> {
  const place = { home: dataDir, cwd: dataDir };
  const { config, secrets } = await loadConfig({ flags: { 'data-dir': dataDir }, env: process.env, ...place });
  const engine = await openEngine(config, secrets, { log: silentLog });
  process.on('message', (slice: Slice) => void run(engine, slice).then((taken) => process.send?.(taken)));
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
}

async function read(engine: Engine, token: string, path: string): Promise<boolean> {
  const request = new Request(`http://bench.test${path}`, { headers: { authorization: `Bearer ${token}` } });
  const response = await engine.fetch(request);
  return (await response.arrayBuffer()).byteLength > 0 && response.status === 200;
}

async function run(engine: Engine, { token, paths, ms, everyMs }: Slice): Promise<Taken> {
  const began = performance.now();
  const took: number[] = [];
  const placed: number[] = [];
  let failed = 0;
  let watched = false;
  const watch = async (): Promise<void> => {
    if (watched) return;
    watched = true;
    const from = performance.now();
    await engine.context.ledger.settled();
    placed.push(performance.now() - from);
    watched = false;
  };
  const reader = async (path: string): Promise<void> => {
    // Not all at the same moment.
    if (everyMs > 0) await sleep(Math.random() * everyMs);
    while (performance.now() - began < ms) {
      const from = performance.now();
      if (!(await read(engine, token, path))) failed += 1;
      took.push(performance.now() - from);
      void watch();
      const left = from + everyMs - performance.now();
      if (left > 0) await sleep(left);
    }
  };
  await Promise.all(paths.map(reader));
  const seconds = (performance.now() - began) / 1000;
  await engine.context.ledger.settled();
  return {
    perSecond: (took.length - failed) / seconds,
    failed,
    p99: partOf(took, 0.99),
    placedMs: placed.length === 0 ? 0 : partOf(placed, 0.95),
  };
}

if (process.argv[1] === self) await answerSlices(process.argv[2] ?? '');
