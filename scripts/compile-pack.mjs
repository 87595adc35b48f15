import { execFile } from 'node:child_process';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runMost } from './compile-ahead.mjs';
import { filesBelow, partOf, writePack } from './pack.mjs';

const keepPack = fileURLToPath(new URL('keep-pack.cjs', import.meta.url));

/**
 * Runs what people run most, and writes the pack of `stage` with what V8 compiled for it.
 *
 * @param {import('./pack.mjs').Part[]} parts @param {string[]} nodeOptions those of the file, because V8 takes what was compiled under
 * the same flags alone
 */
export async function compilePack(stage, parts, nodeOptions) {
  await writePack(stage, parts);
  const program = [...nodeOptions, ...sameEachTime, keepPack, stage];
  const compiled = async () => await Promise.all((await filesBelow(join(stage, 'compiled'))).map((file) => partOf(relative(stage, file).replaceAll(sep, '/'), file)));
  await runMost({ program, keeping: program, afterwards: async () => await writePack(stage, [...parts, ...(await compiled())]) });
  const flags = await flagsUnder(nodeOptions);
  await writePack(stage, [...parts, ...(await compiled()).map(({ name, bytes }) => ({ name, bytes: withFlags(bytes, flags) }))]);
}

/**
 * What V8 compiled has the hashes of strings in it, which differ in each process, so that no two builds would be alike. V8 makes them anew
 * when it reads what was compiled.
 */
const sameEachTime = ['--hash-seed=1', '--no-flush-bytecode', '--no-opt', '--no-maglev', '--no-sparkplug', '--min-semi-space-size=512', '--max-semi-space-size=512', '--initial-heap-size=3000'];

/** SerializedCodeData of V8: magic number, version, length of the source, flags, length and checksum of the rest, with 4 bytes each. */
const flagsAt = 12;

/** @returns the mark of the flags that V8 has under these options */
async function flagsUnder(options) {
  const script = "process.stdout.write(new vm.Script('0').createCachedData().toString('hex'))";
  const { stdout } = await promisify(execFile)(process.execPath, [...options, '-e', script]);
  return Buffer.from(stdout, 'hex').subarray(flagsAt, flagsAt + 4);
}

function withFlags(bytes, flags) {
  const changed = Buffer.from(bytes);
  flags.copy(changed, flagsAt);
  return changed;
}
