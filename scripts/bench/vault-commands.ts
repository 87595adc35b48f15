// How long commands of a password vault take, as multiples of Node doing nothing: one entry of an open vault through a running
// server, and a password made on this machine. Run: npx tsx scripts/bench/vault-commands.ts [rounds] [entries]
import { spawnSync } from 'node:child_process';
import { program, serveNode } from './served-node.ts';
import { median, printTable } from './table.ts';

const rounds = Number(process.argv[2] ?? 21);
const entries = Number(process.argv[3] ?? 10_000);
const titleOf = (at: number): string => `Account ${at} at site${at}.example`;

/** The bounds are the project's own; the runs alternate, so that a slow moment of the machine slows all of them. */
const commands = [
  { name: 'node -e 0', line: ['-e', '0'], bound: 1 },
  { name: 'conclave vault get', line: [program, 'vault', 'get', `Bench/${titleOf(entries >> 1)}`], bound: 3.5 },
  { name: 'conclave vault generate', line: [program, 'vault', 'generate'], bound: 2.5 },
];

await using node = await serveNode();

function run(line: readonly string[], input = '', env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, line, { env: { ...node.env, ...env }, input });
  if (status !== 0) throw new Error(`${line.join(' ')} ended with ${status}: ${stderr.toString()}`);
  return stdout.toString();
}

/** Logins as a browser exports them. */
const exported = Array.from(
  { length: entries },
  (_, at) => `${titleOf(at)},https://www.site${at}.example/login,person${at}@mail.example,password of ${at}`,
);
run([program, 'vault', 'create', 'Bench'], '', { CONCLAVE_MASTER_PASSWORD: 'the master password of the bench' });
const csv = `name,url,username,password\n${exported.join('\n')}\n`;
run([program, 'vault', 'import', 'Bench', '-', '--format', 'browserA_csv'], csv);

const times = commands.map((): number[] => []);
for (let round = -1; round < rounds; round++) {
  for (const [at, { name, line }] of commands.entries()) {
    const started = performance.now();
    const answer = run(line);
    const took = performance.now() - started;
    if (name === 'conclave vault get' && answer !== `password of ${entries >> 1}\n`)
      throw new Error('vault get answered something else');
    // The first round fills the caches of the file system.
    if (round >= 0) times[at]?.push(took);
  }
}
const base = median(times[0] ?? []);
const results = commands.map(({ name, bound }, at) => ({ name, bound, middle: median(times[at] ?? []) }));
console.log(`Vault of ${entries} entries on Node ${process.version}, median of ${rounds} alternating runs`);
printTable(
  ['command', 'ms', 'times bare', 'at most'],
  results.map(({ name, bound, middle }) => [name, middle.toFixed(1), (middle / base).toFixed(2), bound.toFixed(1)]),
);
if (results.some(({ middle, bound }) => middle / base > bound)) process.exitCode = 1;
