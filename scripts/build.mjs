// Bundles the sources into dist/, writes oclif.manifest.json and compiles ahead. With --if-stale, only when a source is newer.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import load from '../bin/load.js';
import topics from '../bin/topics.js';
import { compileAhead } from './compile-ahead.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const manifest = join(root, 'oclif.manifest.json');

async function isStale() {
  // The folder of another Node is of no use to this one.
  if (!existsSync(manifest) || !existsSync(join(dist, load.compiledFolder))) return true;
  const built = (await stat(manifest)).mtimeMs;
  const names = ['package.json', 'package-lock.json'];
  for (const folder of ['bin', 'src', 'commands', 'scripts']) {
    names.push(folder);
    for (const entry of await readdir(join(root, folder), { recursive: true })) names.push(join(folder, entry));
  }
  const times = await Promise.all(names.map(async (name) => (await stat(join(root, name))).mtimeMs));
  return times.some((time) => time > built);
}

/** oclif has its own program write the manifest, which loads every command from a project's folder. */
async function writeManifest(folder) {
  const require = createRequire(import.meta.url);
  const oclif = join(dirname(require.resolve('oclif/package.json')), 'bin/run.js');
  // Otherwise it asks the registry for a newer oclif.
  const env = { ...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true' };
  await promisify(execFile)(process.execPath, [oclif, 'manifest', folder], { cwd: folder, env });
  const { commands, ...rest } = JSON.parse(await readFile(join(folder, 'oclif.manifest.json'), 'utf8'));
  // oclif has them in the order in which they were loaded, which is another one each time.
  const inOrder = Object.fromEntries(Object.entries(commands).sort(([one], [other]) => (one < other ? -1 : 1)));
  await writeManifestTo(folder, { ...rest, commands: inOrder });
  await writeShortManifests(join(folder, 'dist'), { ...rest, commands: inOrder });
}

/**
 * The same for dist/ as a root, without what only help and completion ask: three quarters of the manifest are flags, and a command that
 * runs brings its own. And one for each command, in a folder with its name, because oclif goes several times over all commands it knows.
 */
async function writeShortManifests(folder, { commands, version }) {
  const ids = Object.keys(commands);
  for (const [id, command] of Object.entries(commands)) {
    command.flags = {};
    delete command.examples;
    command.relativePath.shift();
    // What a topic does by itself may be about its commands.
    if (ids.some((other) => other.startsWith(`${id}:`))) continue;
    const own = join(folder, 'commands', ...id.split(':'));
    const relativePath = relative(own, join(folder, ...command.relativePath)).split(sep);
    await mkdir(own, { recursive: true });
    await writeManifestTo(own, { commands: { [id]: { ...command, relativePath } }, version });
  }
  await writeManifestTo(folder, { commands, version });
}

async function writeManifestTo(folder, content) {
  await writeFile(join(folder, 'oclif.manifest.json'), JSON.stringify(content));
}

/** Everything is made beside and moved into place when it is whole, so that a build that fails leaves the last one. */
async function publish(files, page) {
  // Below node_modules, where the packages that stay outside the bundle are found.
  await mkdir(join(root, 'node_modules/.cache'), { recursive: true });
  const stage = await mkdtemp(join(root, 'node_modules/.cache/conclave-build-'));
  try {
    for (const { path, code, map } of files) {
      const file = join(stage, relative(root, path));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, code);
      await writeFile(`${file}.map`, map);
    }
    await mkdir(join(stage, 'dist/share-page'));
    for (const [name, text] of Object.entries(page)) await writeFile(join(stage, 'dist/share-page', name), text);
    await writeFile(join(stage, 'dist/package.json'), '{ "type": "commonjs" }\n');
    await copyFile(join(root, 'package.json'), join(stage, 'package.json'));
    await writeFile(join(stage, 'dist/topics.json'), JSON.stringify(topics.topicsBelow(join(root, 'commands'))));
    await writeManifest(stage);
    await compileAhead(root, stage);
    if (existsSync(dist)) await rename(dist, join(stage, 'before'));
    await rename(join(stage, 'dist'), dist);
    await rename(join(stage, 'oclif.manifest.json'), manifest);
  } finally {
    await rm(stage, { recursive: true });
  }
}

try {
  if (!process.argv.includes('--if-stale') || (await isStale())) {
    // Not needed to find that nothing has changed.
    const { asCommonJs, bundle, bundleSharePage, bundleWorker } = await import('./bundle.mjs');
    const [page, ...bundles] = await Promise.all([bundleSharePage(), bundle(), bundleWorker()]);
    const files = bundles.flatMap(({ outputFiles }) => outputFiles);
    await publish(await Promise.all(files.map(asCommonJs)), page);
  }
} catch (error) {
  // esbuild has printed its own errors, with the lines that they are about.
  if (error.errors === undefined) process.stderr.write(`${error.stderr || error.stack}\n`);
  process.exitCode = 1;
}
