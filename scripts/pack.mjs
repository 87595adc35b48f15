import { readdirSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { root } from './bundle.mjs';

const require = createRequire(import.meta.url);

/** In bytes. From one part to the next there are whole words. */
export const WORD = 8;

/** What has machine code. */
export const addons = ['argon2', 'bcrypt'];

/** @typedef {{ name: string, bytes: Uint8Array, compiled?: Uint8Array }} Part `compiled`: what V8 made of a script */

/**
 * What goes into one file: the program as `makeProgram` made it in `stage`, its guides, and the packages that the bundle leaves out.
 *
 * @param {string} stage
 * @param {import('./platforms.mjs').Platform} platform
 * @returns {Promise<Part[]>}
 */
export async function partsOf(stage, platform) {
  const built = (await filesBelow(join(stage, 'dist'))).filter(
    (file) => !file.endsWith('.map') && file !== join(stage, 'dist/package.json'),
  );
  const files = [join(stage, 'package.json'), join(stage, 'oclif.manifest.json'), ...built];
  const docs = await guidesOf(stage);
  return await Promise.all([
    ...files.map((file) => partOf(relative(stage, file).replaceAll(sep, '/'), file)),
    ...docs.map(({ name, file }) => partOf(`docs/${name}`, file)),
    ...['sql.js/dist/sql-wasm-debug.js', 'sql.js/dist/sql-wasm-debug.wasm'].map((name) =>
      partOf(name, require.resolve(name)),
    ),
    ...[...addons, '@silvia-odwyer/photon-node'].map(packageOf),
    ...addons.map((name) => partOf(`addons/${name}.node`, prebuilt(name, platform))),
    partOf(
      'packages/photon_rs_bg.wasm',
      join(dirname(require.resolve('@silvia-odwyer/photon-node')), 'photon_rs_bg.wasm'),
    ),
  ]);
}

/**
 * Writes `pack`, all parts one behind the other, each with what was compiled of it, and `places`, where each of them is. See bin/pack.js.
 *
 * @param {Part[]} parts
 * @param {number} before how many bytes there are in front of the first
 */
export async function writePack(stage, parts, before = 0) {
  const inOrder = parts.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const pieces = [Buffer.alloc(before)];
  let end = before;
  const placed = (bytes) => {
    const start = end;
    const length = Math.ceil(bytes.length / WORD) * WORD;
    pieces.push(bytes, Buffer.alloc(length - bytes.length));
    end += length;
    return [start, bytes.length];
  };
  // What runs most is found first.
  const [first, other] = [[], new Set()];
  for (const { name, bytes, compiled } of inOrder) {
    for (let above = dirname(name); above !== '.'; above = dirname(above)) other.add(`${above} `);
    const line = [name, ...placed(bytes), ...(compiled ? placed(compiled) : [])].join(' ');
    if (compiled) first.push(line);
    else other.add(line);
  }
  await writeFile(join(stage, 'pack'), Buffer.concat(pieces));
  await writeFile(join(stage, 'places'), ['', ...first, ...other, ''].join('\n'));
}

async function partOf(name, file) {
  return { name, bytes: await readFile(file) };
}

/** Where the machine code of a package is. @param {import('./platforms.mjs').Platform} platform */
export function prebuilt(name, platform) {
  const folder = dirname(require.resolve(`${name}/package.json`));
  const prebuilds = join(folder, 'prebuilds', platform.name);
  // Some say which version of the processor they are for.
  const file = readdirSync(prebuilds).find((each) => /^\w+(?:\.armv8)?\.glibc\.node$/.test(each));
  return join(prebuilds, file);
}

/** A package as one module, which finds its machine code and its data in the pack. */
async function packageOf(name) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    bundle: true,
    charset: 'ascii',
    entryPoints: [require.resolve(name)],
    external: ['addon:*'],
    format: 'cjs',
    logLevel: 'warning',
    minifySyntax: true,
    minifyWhitespace: true,
    platform: 'node',
    plugins: [fromPack(name)],
    target: 'node26',
    write: false,
  });
  return { name: `packages/${name}.js`, bytes: outputFiles[0].contents };
}

/** An esbuild plugin. It fails the build when a package no longer finds its files as it did. */
function fromPack(name) {
  const readWasm = "require('fs').readFileSync(path)";
  return {
    name: 'from-pack',
    setup(builder) {
      builder.onResolve({ filter: /^node-gyp-build$/ }, ({ path }) => ({ path, namespace: 'addon' }));
      builder.onLoad({ filter: /./, namespace: 'addon' }, () => ({
        contents: `module.exports = () => require('addon:${name}');`,
      }));
      builder.onLoad({ filter: /photon_rs\.js$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        if (!text.includes(readWasm)) throw new Error(`${basename(path)} has no ${readWasm} to replace`);
        const read = "globalThis[Symbol.for('conclave.one-file')].read('packages/photon_rs_bg.wasm')";
        return { contents: text.replace(readWasm, read) };
      });
    },
  };
}

/**
 * The guides: those of docs/, and the page of commands as `makeProgram` made it in `stage`, whatever a build has left in docs/.
 *
 * @param {string} stage @returns {Promise<{ name: string, file: string }[]>} `name`: that of the file
 */
export async function guidesOf(stage) {
  const made = 'commands.md';
  const written = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md') && name !== made);
  return [
    ...written.map((name) => ({ name, file: join(root, 'docs', name) })),
    { name: made, file: join(stage, 'docs', made) },
  ];
}

export async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
