// Bundles the sources into dist/, writes oclif.manifest.json and docs/commands.md, and compiles ahead. With --if-stale, only when a source is newer.
import { existsSync } from 'node:fs';
import { readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import load from '../bin/load.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const manifest = join(root, 'oclif.manifest.json');
const page = join(root, 'docs/commands.md');

async function isStale() {
  // The folder of another Node is of no use to this one.
  const made = [manifest, page, join(dist, load.compiledFolder)];
  if (!made.every((path) => existsSync(path))) return true;
  const built = (await stat(manifest)).mtimeMs;
  const names = ['package.json', 'package-lock.json'];
  for (const folder of ['bin', 'src', 'commands', 'scripts']) {
    names.push(folder);
    for (const entry of await readdir(join(root, folder), { recursive: true })) names.push(join(folder, entry));
  }
  const times = await Promise.all(names.map(async (name) => (await stat(join(root, name))).mtimeMs));
  return times.some((time) => time > built);
}

/** Everything is made beside and moved into place when it is whole, so that a build that fails leaves the last one. */
async function publish() {
  // Not needed to find that nothing has changed.
  const [{ inStage }, { makeProgram }, { compileAhead }, { keepForServers }] = await Promise.all([
    import('./stage.mjs'),
    import('./make-program.mjs'),
    import('./compile-ahead.mjs'),
    import('./kept-files.mjs'),
  ]);
  await inStage('build', async (stage) => {
    await makeProgram(stage);
    await compileAhead(stage);
    await keepForServers(dist, join(stage, 'dist'));
    if (existsSync(dist)) await rename(dist, join(stage, 'before'));
    await rename(join(stage, 'dist'), dist);
    await rename(join(stage, 'docs/commands.md'), page);
    await rename(join(stage, 'oclif.manifest.json'), manifest);
  });
}

try {
  if (!process.argv.includes('--if-stale') || (await isStale())) await publish();
} catch (error) {
  // esbuild has printed its own errors, with the lines that they are about.
  if (error.errors === undefined) process.stderr.write(`${error.stderr || error.stack}\n`);
  process.exitCode = 1;
}
