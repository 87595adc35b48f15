// How long the program takes to its first answer, as multiples of Node doing nothing: short commands, and commands of a vault of 10,000
// entries through a running server. With --file, which is what scripts/release made: the program in one file next to the same in a folder and
// to an empty script, all on the same Node; how soon a server is ready, its anonymous memory, refused caches, and its size for xz.
//   npx tsx scripts/bench/start-up.ts [--rounds 21] [--entries 10000] [--file FILE] [--small]
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inTurns, median, type Measured, ownFolder, report, settings } from './harness.ts';
import { firstAdministrator, memoryMiB, program, type ServerProcess, startServer } from './server.ts';

type Line = readonly [command: string, ...words: string[]];

const { rounds, entries, file } = settings({ rounds: 21, entries: 10_000, file: '' }, { rounds: 2, entries: 20 });
/** Of the file, compressed. */
const MOST_MIB = 36;
const titleOf = (at: number): string => `Account ${at} at site${at}.example`;
const wanted = entries >> 1;

await using folder = await ownFolder();
// Nothing of this process: NODE_EXTRA_CA_CERTS alone takes longer than all that is measured.
const envOf = (home: string): NodeJS.ProcessEnv => ({
  PATH: '/usr/bin:/bin',
  HOME: join(folder.path, home),
  XDG_CONFIG_HOME: join(folder.path, home, 'config'),
  TMPDIR: join(folder.path, home),
  CONCLAVE_DATA_DIR: join(folder.path, home, 'data'),
  CONCLAVE_LOG_LEVEL: 'error',
  CONCLAVE_MASTER_PASSWORD: 'the master password of the bench',
});
const inFolder: Line = [process.execPath, program];

function run([command, ...line]: Line, words: readonly string[], home = 'one', input = ''): string {
  const { status, stdout, stderr } = spawnSync(command, [...line, ...words], { env: envOf(home), input });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr.toString()}`);
  return stdout.toString();
}

async function serve([command, ...line]: Line, home = 'one'): Promise<ServerProcess> {
  return await startServer([command, ...line, 'serve', '--port', '0'], envOf(home));
}

/** A store with an administrator who is signed in. */
async function prepare(line: Line, home: string): Promise<void> {
  await mkdir(join(folder.path, home));
  run(line, ['init', '--generate-password'], home);
  await using _ = await serve(line, home);
  const { username, password } = await firstAdministrator(join(folder.path, home, 'data'));
  run(line, ['login', username, '--password-file', '-'], home, password);
}

/** An open vault with logins as a browser exports them. */
function fillVault(line: Line): void {
  const exported = Array.from(
    { length: entries },
    (_, at) => `${titleOf(at)},https://www.site${at}.example/login,person${at}@mail.example,password of ${at}`,
  );
  run(line, ['vault', 'create', 'Bench']);
  const csv = `name,url,username,password\n${exported.join('\n')}\n`;
  run(line, ['vault', 'import', 'Bench', '-', '--format', 'browserA_csv'], 'one', csv);
}

function checkVault(line: Line): void {
  if (run(line, ['vault', 'get', `Bench/${titleOf(wanted)}`]) !== `password of ${wanted}\n`)
    throw new Error('vault get answered something else');
}

/** The bounds are the project's own. */
async function commands(): Promise<Measured[]> {
  await prepare(inFolder, 'one');
  await using _ = await serve(inFolder);
  fillVault(inFolder);
  checkVault(inFolder);
  const bounds = {
    '--version': [2.5, ['--version']],
    '--help': [2.5, ['--help']],
    whoami: [3.5, ['whoami']],
    'vault get': [3.5, ['vault', 'get', `Bench/${titleOf(wanted)}`]],
    'vault generate': [2.5, ['vault', 'generate']],
  } as const;
  const lines = Object.entries(bounds).map(([name, [, words]]) => [name, () => void run(inFolder, words)] as const);
  const bare = () => void run([process.execPath, '-e', '0'], []);
  const took = await inTurns<string>(rounds, { bare, ...Object.fromEntries(lines) });
  const base = median(took['bare'] ?? []);
  return Object.entries(bounds).map(([name, [ratioAtMost]]) => {
    const value = median(took[name] ?? []);
    const nextTo = `node -e 0, ${base.toFixed(0)} ms`;
    return { what: `conclave ${name}`, value, unit: 'ms', nextTo, ratio: value / base, ratioAtMost };
  });
}

/** The one file and the folder, on the Node that is in the file. */
async function ofFile(): Promise<Measured[]> {
  const release = fileURLToPath(new URL('../release-node.mjs', import.meta.url));
  const found = spawnSync(process.execPath, [release, `${process.platform}-${process.arch}`], { encoding: 'utf8' });
  const node = found.stdout.trim();
  const [one, other]: [Line, Line] = [[resolve(file)], [node, '--', program]];
  const empty = join(folder.path, 'empty.js');
  await writeFile(empty, '');
  await prepare(one, 'one');
  await prepare(one, 'other');
  const results = await serversOf(one, other);
  await using _ = await serve(one);
  fillVault(one);
  checkVault(one);
  const most = { '--version': 1.1, 'vault generate': 1.7, whoami: undefined, 'vault get': 2.5 } as const;
  for (const [name, ratioAtMost] of Object.entries(most)) {
    const words = name === 'vault get' ? ['vault', 'get', `Bench/${titleOf(wanted)}`] : name.split(' ');
    const took = await inTurns(rounds, {
      one: () => void run(one, words),
      other: () => void run(other, words),
      bare: () => void run([node, empty], []),
    });
    const [value, inTheFolder, bare] = [median(took.one), median(took.other), median(took.bare)];
    const row = { what: name, value, unit: 'ms' };
    const folderMs = `in a folder, ${inTheFolder.toFixed(0)} ms`;
    results.push({ ...row, nextTo: folderMs, ratio: value / inTheFolder, ratioAtMost: 1 });
    const emptyMs = `an empty script, ${bare.toFixed(0)} ms`;
    if (ratioAtMost !== undefined) results.push({ ...row, nextTo: emptyMs, ratio: value / bare, ratioAtMost });
  }
  const { compiled } = JSON.parse(run(one, ['--version', '--verbose', '--json'])) as {
    compiled: { parts: number; refused: number };
  };
  const xz = ['--keep', '--stdout', '-9', '--extreme', '--threads=1', resolve(file)];
  const { stdout } = await promisify(execFile)('xz', xz, { encoding: 'buffer', maxBuffer: 2 ** 30 });
  results.push(
    { what: `refused caches, of ${compiled.parts}`, value: compiled.refused, unit: '', atMost: 0 },
    { what: 'size for xz', value: stdout.length / 1024 ** 2, unit: 'MiB', atMost: MOST_MIB },
  );
  return results;
}

/** Servers of stores of their own, each started again and again. */
async function serversOf(one: Line, other: Line): Promise<Measured[]> {
  const memory: Record<'one' | 'other', number[]> = { one: [], other: [] };
  const started = async (line: Line, home: 'one' | 'other', round: number): Promise<number> => {
    await using server = await serve(line, home);
    run(one, ['whoami'], home);
    if (round >= 0) memory[home].push(await memoryMiB(server.pid, 'anonymous'));
    return server.readyMs;
  };
  const ready = await inTurns(rounds, {
    one: async (round) => await started(one, 'one', round),
    other: async (round) => await started(other, 'other', round),
  });
  return [
    { what: 'serve ready', unit: 'ms', times: ready },
    { what: 'serve, anonymous memory', unit: 'MiB', times: memory },
  ].map(({ what, unit, times }) => {
    const [value, inTheFolder] = [median(times.one), median(times.other)];
    const nextTo = `in a folder, ${inTheFolder.toFixed(0)} ${unit}`;
    return { what, value, unit, nextTo, ratio: value / inTheFolder, ratioAtMost: 1.1 };
  });
}

if (file === '') report(`Start-up on Node ${process.version}, medians of ${rounds}`, await commands());
else report(`One file, medians of ${rounds}`, await ofFile());
