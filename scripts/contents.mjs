import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import initSqlJs from 'sql.js';
import { outside, root } from './bundle.mjs';
import { addons } from './pack.mjs';

const require = createRequire(import.meta.url);

/**
 * What the program is made of: see src/cli/kit/version-details.ts.
 *
 * @param {import('esbuild').Metafile[]} bundles
 */
export async function contentsOf(bundles) {
  const { metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    entryPoints: outside.map((name) => require.resolve(name)),
    logLevel: 'error',
    metafile: true,
    outdir: root,
    platform: 'node',
    write: false,
  });
  const folders = new Set([...bundles, metafile].flatMap(inputsOf).map(packageFolder).filter(Boolean));
  const packages = await Promise.all([...folders].map(nameOf));
  const { Database } = await initSqlJs();
  return {
    sqlite: new Database().exec('select sqlite_version()')[0].values[0][0],
    addons: await Promise.all(addons.map(async (name) => await nameOf(`node_modules/${name}`))),
    packages: [...new Set(packages)].sort(),
  };
}

/** The files of which something is in the bundle. */
function inputsOf({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((name) => inputs[name].bytesInOutput > 0),
  );
}

/** Of the innermost package that a file is in. */
function packageFolder(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

async function nameOf(folder) {
  const { name, version } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
  return `${name} ${version}`;
}
