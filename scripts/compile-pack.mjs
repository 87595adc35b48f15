import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writePack } from './pack.mjs';

const run = promisify(execFile);
const compileCalled = fileURLToPath(new URL('compile-called.cjs', import.meta.url));

/**
 * Under these V8 compiles the same each time: what it compiles has the hashes of strings in it, and where it moved something, what had stood
 * in the memory before.
 */
const sameEachTime = [
  '--no-flush-bytecode',
  '--hash-seed=1',
  '--min-semi-space-size=512',
  '--max-semi-space-size=512',
  '--initial-heap-size=3000',
];

/**
 * The parts of a pack with what V8 compiles of the functions that are called by what people run most. With that of all functions a
 * command would start later, and a server take some MiB more.
 *
 * @param {import('./pack.mjs').Part[]} parts
 * @param {Awaited<ReturnType<typeof import('./most-called.mjs').mostCalled>>} called
 * @param {import('./platforms.mjs').Platform} platform
 * @returns {Promise<import('./pack.mjs').Part[]>}
 */
export async function withCompiled(stage, parts, called, { start: [command, ...words] }) {
  await writePack(stage, parts);
  const runNode = async (...more) => await run(command, [...words, ...more]);
  await writeFile(join(stage, 'called.json'), JSON.stringify(called));
  await runNode(...sameEachTime, compileCalled, stage, join(stage, 'called.json'));
  const flags = await flagsOf(runNode);
  return await Promise.all(
    parts.map(async (part) => (part.name in called ? { ...part, compiled: await compiledOf(part) } : part)),
  );

  async function compiledOf({ name }) {
    const bytes = await readFile(join(stage, 'compiled', name));
    // The flags above say how much V8 compiles and where it puts that, and not to what, so it may be taken without them.
    flags.copy(bytes, flagsAt);
    return bytes;
  }
}

/** SerializedCodeData of V8: magic number, version, length of the source, flags, length and checksum of the rest, with 4 bytes each. */
const flagsAt = 12;

/** @returns the mark of the flags that V8 has in the file: it takes what was compiled under the same ones alone */
async function flagsOf(runNode) {
  const script = "process.stdout.write(new vm.Script('0').createCachedData().toString('hex'))";
  const { stdout } = await runNode('-e', script);
  return Buffer.from(stdout, 'hex').subarray(flagsAt, flagsAt + 4);
}
