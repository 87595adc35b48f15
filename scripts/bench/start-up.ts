// How long the program takes to its first answer, as multiples of Node doing nothing. Run: npx tsx scripts/bench/start-up.ts [rounds]
import { spawnSync } from 'node:child_process';
import { program, serveNode } from './served-node.ts';
import { median, printTable } from './table.ts';

/** The bounds are the project's own; the runs alternate, so that a slow moment of the machine slows all of them. */
const commands = [
  { name: 'node -e 0', line: ['-e', '0'], bound: 1 },
  { name: 'conclave --version', line: [program, '--version'], bound: 2.5 },
  { name: 'conclave --help', line: [program, '--help'], bound: 2.5 },
  { name: 'conclave whoami', line: [program, 'whoami'], bound: 3.5 },
];

const rounds = Number(process.argv[2] ?? 21);
await using node = await serveNode();
const times = commands.map((): number[] => []);
for (let round = -1; round < rounds; round++) {
  for (const [at, { name, line }] of commands.entries()) {
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, line, {
      env: node.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const took = performance.now() - started;
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr.toString()}`);
    // The first round fills the caches of the file system.
    if (round >= 0) times[at]?.push(took);
  }
}
const base = median(times[0] ?? []);
const results = commands.map(({ name, bound }, at) => ({ name, bound, middle: median(times[at] ?? []) }));
console.log(`Start-up on Node ${process.version}, median of ${rounds} alternating runs`);
printTable(
  ['command', 'ms', 'times bare', 'at most'],
  results.map(({ name, bound, middle }) => [name, middle.toFixed(1), (middle / base).toFixed(2), bound.toFixed(1)]),
);
if (results.some(({ middle, bound }) => middle / base > bound)) process.exitCode = 1;
