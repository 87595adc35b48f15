import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import topics from '../bin/topics.js';
import { asCommonJs, bundle, bundleSharePage, bundleWorker, root } from './bundle.mjs';
import { commandsPage } from './commands-page.mjs';
import { contentsOf } from './contents.mjs';

/**
 * Bundles the sources into dist/ of `folder`, and writes its oclif.manifest.json and its docs/commands.md. The folder is below node_modules, where
 * the packages that stay outside the bundle are found.
 */
export async function makeProgram(folder) {
  const [page, ...bundles] = await Promise.all([bundleSharePage(), bundle(), bundleWorker()]);
  const [worker] = bundles[1].outputFiles;
  const files = bundles.flatMap(({ outputFiles }) => outputFiles);
  for (const { path, code, map } of await Promise.all(files.map(asCommonJs))) {
    const file = join(folder, relative(root, path));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, code);
    await writeFile(`${file}.map`, map);
  }
  await writeFile(join(folder, 'dist/worker.js'), `require('./${basename(worker.path)}');\n`);
  await mkdir(join(folder, 'dist/share-page'));
  for (const [name, text] of Object.entries(page)) await writeFile(join(folder, 'dist/share-page', name), text);
  await copyFile(join(root, 'src/services/calendar/holidays/data.json'), join(folder, 'dist/holidays.json'));
  await writeFile(join(folder, 'dist/package.json'), '{ "type": "commonjs" }\n');
  await copyFile(join(root, 'package.json'), join(folder, 'package.json'));
  const below = topics.topicsBelow(join(root, 'commands'));
  await writeFile(join(folder, 'dist/topics.json'), JSON.stringify(below));
  const contents = await contentsOf(bundles.map(({ metafile }) => metafile));
  await writeFile(join(folder, 'dist/contents.json'), JSON.stringify(contents));
  await writeManifest(folder);
  await writePage(folder, below);
}

async function writePage(folder, below) {
  const { commands } = JSON.parse(await readFile(join(folder, 'oclif.manifest.json'), 'utf8'));
  await mkdir(join(folder, 'docs'));
  await writeFile(join(folder, 'docs/commands.md'), commandsPage(commands, below));
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
