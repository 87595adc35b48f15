import { execFile } from 'node:child_process';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { filesBelow, partOf, writePack } from './pack.mjs';

const run = promisify(execFile);
const compileAll = fileURLToPath(new URL('compile-all.cjs', import.meta.url));

/**
 * Under these V8 compiles each function of a file, and the same each time: what it compiles has the hashes of strings in it, and where it
 * moved something, what had stood in the memory before. Which functions a run needs would depend on how fast it is.
 */
const sameEachTime = [
  '--no-lazy',
  '--no-flush-bytecode',
  '--hash-seed=1',
  '--min-semi-space-size=512',
  '--max-semi-space-size=512',
  '--initial-heap-size=3000',
];

/**
 * Writes the pack of `stage`, with what V8 compiles of it.
 *
 * @param {import('./pack.mjs').Part[]} parts
 * @param {import('./platforms.mjs').Platform} platform
 */
export async function compilePack(stage, parts, { start: [command, ...words] }) {
  await writePack(stage, parts);
  const runNode = async (...more) => await run(command, [...words, ...more]);
  await runNode(...sameEachTime, compileAll, stage);
  const flags = await flagsOf(runNode);
  const files = await filesBelow(join(stage, 'compiled'));
  const compiled = await Promise.all(files.map((file) => partOf(relative(stage, file).replaceAll(sep, '/'), file)));
  await writePack(stage, [...parts, ...compiled.map(({ name, bytes }) => ({ name, bytes: withFlags(bytes, flags) }))]);
}

/** SerializedCodeData of V8: magic number, version, length of the source, flags, length and checksum of the rest, with 4 bytes each. */
const flagsAt = 12;

/** @returns the mark of the flags that V8 has in the file: it takes what was compiled under the same ones alone */
async function flagsOf(runNode) {
  const script = "process.stdout.write(new vm.Script('0').createCachedData().toString('hex'))";
  const { stdout } = await runNode('-e', script);
  return Buffer.from(stdout, 'hex').subarray(flagsAt, flagsAt + 4);
}

/** The flags above say how much V8 compiles and where it puts that, and not to what, so it may be taken without them. */
function withFlags(bytes, flags) {
  const changed = Buffer.from(bytes);
  flags.copy(changed, flagsAt);
  return changed;
}
