import { execFile } from 'node:child_process';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runMost } from './compile-ahead.mjs';
import { filesBelow, partOf, writePack } from './pack.mjs';

const run = promisify(execFile);
const [keepPack, settleCompiled] = ['keep-pack.cjs', 'settle-compiled.cjs'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);

/**
 * What V8 compiles is the same each time under these: it has the hashes of strings in it, and where it forgot or copied something, what
 * stood in the memory before. It makes the hashes anew when it reads what was compiled.
 */
const sameEachTime = [
  '--hash-seed=1',
  '--no-flush-bytecode',
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--min-semi-space-size=512',
  '--max-semi-space-size=512',
  '--initial-heap-size=3000',
];

/**
 * Runs what people run most, and writes the pack of `stage` with what V8 compiled for it.
 *
 * @param {import('./pack.mjs').Part[]} parts @param {string[]} options of Node in the file, because V8 takes what was compiled under the
 * same flags alone
 */
export async function compilePack(stage, parts, options) {
  const program = [...options, ...sameEachTime, keepPack, stage];
  const keepGoing = async () => await writePack(stage, [...parts, ...(await partsBelow(stage, 'compiled'))]);
  await writePack(stage, parts);
  await runMost({ program, keeping: program, afterwards: keepGoing });
  await run(process.execPath, [...options, ...sameEachTime, settleCompiled, stage]);
  const flags = await flagsUnder(options);
  const settled = await partsBelow(stage, 'settled');
  const compiled = settled.map(({ name, bytes }) => ({ name: `compiled/${name}`, bytes: withFlags(bytes, flags) }));
  await writePack(stage, [...parts, ...compiled]);
}

async function partsBelow(stage, folder) {
  const base = folder === 'compiled' ? stage : join(stage, folder);
  const files = await filesBelow(join(stage, folder));
  return await Promise.all(files.map((file) => partOf(relative(base, file).replaceAll(sep, '/'), file)));
}

/** SerializedCodeData of V8: magic number, version, length of the source, flags, length and checksum of the rest, with 4 bytes each. */
const flagsAt = 12;

/** @returns the mark of the flags that V8 has under these options */
async function flagsUnder(options) {
  const script = "process.stdout.write(new vm.Script('0').createCachedData().toString('hex'))";
  const { stdout } = await run(process.execPath, [...options, '-e', script]);
  return Buffer.from(stdout, 'hex').subarray(flagsAt, flagsAt + 4);
}

/** None of the flags above changes what V8 compiles, so it may take it without them. */
function withFlags(bytes, flags) {
  const changed = Buffer.from(bytes);
  flags.copy(changed, flagsAt);
  return changed;
}
