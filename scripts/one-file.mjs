import { execFile } from 'node:child_process';
import { chmod, copyFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { root } from './bundle.mjs';
import { withCompiled } from './compile-pack.mjs';
import { partsOf, WORD, writePack } from './pack.mjs';
import { inStage } from './stage.mjs';

const run = promisify(execFile);

/**
 * The program in one file, with the Node of a platform.
 *
 * @param {string} target the file
 * @param {import('./release.mjs').Program} program
 * @param {import('./platforms.mjs').Platform} platform
 */
export async function makeOneFile(target, { folder, name, version, called }, platform) {
  await inStage('file', async (stage) => {
    await writeFile(join(stage, 'start.cjs'), await bundleStart({ name, version }));
    const parts = await withCompiled(stage, await partsOf(folder, platform), called, platform);
    await writeFile(join(stage, 'sea.json'), JSON.stringify(configuration));
    await strippedNode(join(stage, 'node'), platform);
    await buildAligned(stage, parts);
    await chmod(join(stage, 'conclave'), 0o755);
    // Another file system may be the target's.
    await copyFile(join(stage, 'conclave'), `${target}.new`);
    await rename(`${target}.new`, target);
  });
}

/** What Node runs first in the file and in each of its threads. */
async function bundleStart({ name, version }) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    bundle: true,
    charset: 'ascii',
    define: { THIS_PROGRAM: JSON.stringify({ name, version }) },
    entryPoints: [join(root, 'bin/one-file.js')],
    format: 'cjs',
    logLevel: 'warning',
    minifySyntax: true,
    minifyWhitespace: true,
    platform: 'node',
    target: 'node26',
    write: false,
  });
  return outputFiles[0].contents;
}

/** V8 copies what was compiled ahead first, unless it begins at a word of memory. That takes a start a millisecond. */
async function buildAligned(stage, parts) {
  const make = async () => await run(process.execPath, ['--build-sea', 'sea.json'], { cwd: stage });
  await writePack(stage, parts);
  await make();
  const [file, pack] = await Promise.all(['conclave', 'pack'].map(async (name) => await readFile(join(stage, name))));
  const beyond = file.indexOf(pack.subarray(0, 4096)) % WORD;
  if (beyond === 0) return;
  await writePack(stage, parts, WORD - beyond);
  await make();
}

/** What Node has for debuggers is a fifth of it. Once there is something in it, strip would break it. */
async function strippedNode(file, { node, strip }) {
  await copyFile(node.program, file);
  await chmod(file, 0o755);
  await run(strip, [file]);
}

/**
 * https://nodejs.org/api/single-executable-applications.html. The file keeps the path of `main`, for traces, so it must be the same in every
 * folder.
 */
const configuration = {
  main: 'start.cjs',
  output: 'conclave',
  executable: 'node',
  disableExperimentalSEAWarning: true,
  // With V8's cache of the start, no two builds are alike.
  useCodeCache: false,
  // NODE_OPTIONS is about somebody else's Node.
  execArgvExtension: 'none',
  // A command runs until its end without the collector of garbage, and a server takes no more memory. Behind the dashes Node reads no
  // --env-file: what stands in that file would be settings of the program.
  execArgv: ['--min-semi-space-size=3', '--'],
  assets: { pack: 'pack', places: 'places', start: 'start.cjs' },
};
