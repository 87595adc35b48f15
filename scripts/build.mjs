// Bundles the sources into dist/ and writes oclif.manifest.json. With --if-stale, only when a source is newer.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const manifest = join(root, 'oclif.manifest.json');

/** What has files of its own to find, or machine code: it stays in node_modules. pg-native and typescript are never installed for use. */
const external = ['argon2', 'bcrypt', 'sql.js', 'pg-native', 'typescript'];

/** In memory, with esbuild's account of what went where. One entry a command, so that a command loads only what it uses. */
export async function bundle() {
  // Not needed to find that nothing has changed.
  const { build } = await import('esbuild');
  const { slimOclif } = await import('./slim-oclif.mjs');
  const commands = await filesBelow(join(root, 'commands'), '.ts');
  const entryPoints = { main: join(root, 'src/cli/main.ts'), 'root-help': join(root, 'src/cli/root-help.ts') };
  for (const file of commands) entryPoints[relative(root, file).replace(/\.ts$/, '')] = file;
  return await build({
    absWorkingDir: root,
    // Packages in CommonJS call require for the modules of Node. Under a name that no bundled module has for itself.
    banner: { js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);" },
    bundle: true,
    charset: 'utf8',
    entryPoints,
    external,
    format: 'esm',
    logLevel: 'warning',
    metafile: true,
    outdir: dist,
    platform: 'node',
    plugins: [slimOclif],
    sourcemap: 'linked',
    splitting: true,
    target: 'node20.19',
    write: false,
  });
}

async function filesBelow(folder, extension) {
  const entries = existsSync(folder) ? await readdir(folder, { recursive: true }) : [];
  return entries.filter((entry) => entry.endsWith(extension)).map((entry) => join(folder, entry));
}

/** oclif has its own program write the manifest, which loads every command from a project's folder. */
async function writeManifest(folder) {
  const require = createRequire(import.meta.url);
  const oclif = join(dirname(require.resolve('oclif/package.json')), 'bin/run.js');
  // Otherwise it asks the registry for a newer oclif.
  const env = { ...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true' };
  await promisify(execFile)(process.execPath, [oclif, 'manifest', folder], { cwd: folder, env });
}

/** Everything is made beside and moved into place when it is whole, so that a build that fails leaves the last one. */
async function publish(outputFiles) {
  // Below node_modules, where the packages that stay outside the bundle are found.
  await mkdir(join(root, 'node_modules/.cache'), { recursive: true });
  const stage = await mkdtemp(join(root, 'node_modules/.cache/conclave-build-'));
  try {
    for (const { path, contents } of outputFiles) {
      const file = join(stage, relative(root, path));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, contents);
    }
    await copyFile(join(root, 'package.json'), join(stage, 'package.json'));
    await writeManifest(stage);
    if (existsSync(dist)) await rename(dist, join(stage, 'before'));
    await rename(join(stage, 'dist'), dist);
    await rename(join(stage, 'oclif.manifest.json'), manifest);
  } finally {
    await rm(stage, { recursive: true });
  }
}

async function isStale() {
  if (!existsSync(manifest) || !existsSync(join(dist, 'main.js'))) return true;
  const built = (await stat(manifest)).mtimeMs;
  const sources = ['package.json', 'package-lock.json', 'scripts/build.mjs', 'scripts/slim-oclif.mjs'].map((name) =>
    join(root, name),
  );
  for (const folder of ['src', 'commands'])
    sources.push(join(root, folder), ...(await filesBelow(join(root, folder), '')));
  for (const source of sources) if ((await stat(source)).mtimeMs > built) return true;
  return false;
}

async function main(onlyIfStale) {
  if (onlyIfStale && !(await isStale())) return;
  const { outputFiles } = await bundle();
  await publish(outputFiles);
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await main(process.argv.includes('--if-stale'));
  } catch (error) {
    // esbuild has printed its own errors, with the lines that they are about.
    if (error.errors === undefined) process.stderr.write(`${error.stderr || error.stack}\n`);
    process.exitCode = 1;
  }
}
