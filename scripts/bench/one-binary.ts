// The program in one file, next to the same program in a folder and to an empty script, all on the same Node, in turn. Needs npm run build.
// Run on a machine that does nothing else: npx tsx scripts/bench/one-binary.ts FILE [ROUNDS]
// FILE is what scripts/release made. Ends with 1 when a bound is missed.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { program } from './served-node.ts';
import { anonymousMiB } from './server-process.ts';
import { median, printTable } from './table.ts';

type Line = readonly [command: string, ...words: string[]];

const [given, wantedRounds = '25'] = process.argv.slice(2);
if (given === undefined) throw new Error('Name the file: npx tsx scripts/bench/one-binary.ts FILE');
const file = resolve(given);
const rounds = Number(wantedRounds);
const MEBIBYTE = 1024 ** 2;
/** Of the file, compressed. */
const MOST_MIB = 36;

const release = fileURLToPath(new URL('../release-node.mjs', import.meta.url));
const node = spawnSync(process.execPath, [release, `${process.platform}-${process.arch}`], {
  encoding: 'utf8',
}).stdout.trim();
const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
const empty = join(folder, 'empty.js');
// Nothing of this process: NODE_EXTRA_CA_CERTS alone takes longer than all that is measured.
const envOf = (data: string): NodeJS.ProcessEnv => ({
  PATH: '/usr/bin:/bin',
  HOME: folder,
  XDG_CONFIG_HOME: join(folder, 'config'),
  TMPDIR: folder,
  CONCLAVE_DATA_DIR: join(folder, data),
  CONCLAVE_MASTER_PASSWORD: 'the master password of the bench',
});
const inFile = (...words: string[]): Line => [file, ...words];
const inFolder = (...words: string[]): Line => [node, '--', program, ...words];

function run([command, ...words]: Line, input = '', env = envOf('data')): string {
  const { status, stdout, stderr } = spawnSync(command, words, { env, input });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr.toString()}`);
  return stdout.toString();
}

interface Served extends AsyncDisposable {
  readonly readyMs: number;
  readonly pid: number;
}

async function serve([command, ...words]: Line, data: string): Promise<Served> {
  const started = performance.now();
  const child = spawn(command, words, { env: envOf(data), stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  const readyMs = performance.now() - started;
  child.stdout.resume();
  return {
    readyMs,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Milliseconds of each line, in turn: a slow moment of the machine slows all of them. The first round fills caches. */
function timed(lines: readonly Line[]): number[] {
  const times = lines.map((): number[] => []);
  for (let round = -1; round < rounds; round += 1) {
    for (const [at, line] of lines.entries()) {
      const started = performance.now();
      run(line);
      if (round >= 0) times[at]?.push(performance.now() - started);
    }
  }
  return times.map(median);
}

interface Row {
  readonly what: string;
  readonly ours: number;
  readonly other: number;
  readonly bound: number;
}

async function commands(): Promise<Row[]> {
  const hot = { '--version': 1.1, 'vault generate': 1.7, whoami: undefined, 'vault get Mine/Mail': 2.5 } as const;
  return Object.entries(hot).flatMap(([what, most]) => {
    const words = what.split(' ');
    const [ours = 0, folders = 0, bare = 0] = timed([inFile(...words), inFolder(...words), [node, empty]]);
    const toFolder = { what: `${what}, to the folder`, ours, other: folders, bound: 1 };
    return most === undefined
      ? [toFolder]
      : [toFolder, { what: `${what}, to an empty script`, ours, other: bare, bound: most }];
  });
}

/** Servers of stores of their own, each started again and again. */
async function servers(): Promise<Row[]> {
  const found = (data: string, line: Line) => ({ data, line, ready: [] as number[], memory: [] as number[] });
  const both = [found('data', inFile('serve', '--port', '0')), found('other', inFolder('serve', '--port', '0'))];
  for (let round = -1; round < rounds; round += 1) {
    for (const { data, line, ready, memory } of both) {
      await using server = await serve(line, data);
      run(inFile('whoami'), '', envOf(data));
      if (round < 0) continue;
      ready.push(server.readyMs);
      memory.push(await anonymousMiB(server.pid));
    }
  }
  const [ours, folders] = both.map(({ ready, memory }) => ({ ready: median(ready), memory: median(memory) }));
  return (['ready', 'memory'] as const).map((what) => ({
    what: what === 'ready' ? 'serve ready' : 'serve, anonymous MiB',
    ours: ours?.[what] ?? 0,
    other: folders?.[what] ?? 0,
    bound: 1.1,
  }));
}

try {
  await writeFile(empty, '');
  for (const data of ['data', 'other']) {
    run(inFile('init', '--generate-password'), '', envOf(data));
    await using _ = await serve(inFile('serve', '--port', '0'), data);
    const note = await readFile(join(folder, data, 'first-administrator.txt'), 'utf8');
    const password = /^password: (.*)$/m.exec(note)?.[1];
    run(inFile('login', 'admin', '--password-file', '-'), password, envOf(data));
    if (data !== 'data') continue;
    run(inFile('vault', 'create', 'Mine'));
    run(inFile('vault', 'add', 'Mine/Mail', '--generate'));
  }
  const rows = await servers();
  await using _ = await serve(inFile('serve', '--port', '0'), 'data');
  run(inFile('vault', 'open', 'Mine'));
  rows.unshift(...(await commands()));
  console.log(
    `One file on Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}, medians of ${rounds} runs`,
  );
  printTable(
    ['What', 'file', 'other', 'ratio', 'at most'],
    rows.map(({ what, ours, other, bound }) => {
      const ratio = ours / other;
      return [
        what,
        ours.toFixed(1),
        other.toFixed(1),
        `${ratio.toFixed(2)}${ratio > bound ? ' MISSED' : ''}`,
        bound.toFixed(2),
      ];
    }),
  );
  const { compiled } = JSON.parse(run(inFile('--version', '--verbose', '--json'))) as {
    compiled: { parts: number; refused: number };
  };
  console.log(`V8 caches: ${compiled.parts}, of which ${compiled.refused} are refused.`);
  const { stdout } = await promisify(execFile)('xz', ['--keep', '--stdout', '-9', '--extreme', '--threads=1', file], {
    encoding: 'buffer',
    maxBuffer: 2 ** 30,
  });
  const size = stdout.length / MEBIBYTE;
  console.log(`xz: ${size.toFixed(1)} MiB, at most ${MOST_MIB}.`);
  if (rows.some(({ ours, other, bound }) => ours / other > bound) || compiled.refused > 0 || size > MOST_MIB)
    process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
