import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { slimOclif } from './slim-oclif.mjs';
import { loadedLater, loadedNow } from './source-imports.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

const target = 'node20.19';

/** What has files of its own to find, or machine code: it stays in node_modules. pg-native and typescript are never installed for use. */
export const outside = ['@silvia-odwyer/photon-node', 'argon2', 'bcrypt', 'sql.js'];
// listhen loads the last two to serve a module anew whenever it changes.
const external = [...outside, 'pg-native', 'typescript', 'jiti', '@parcel/watcher-wasm'];

const options = {
  absWorkingDir: root,
  bundle: true,
  // With one other character in it, V8 keeps a file in twice the memory and reads it slower.
  charset: 'ascii',
  external,
  format: 'esm',
  logLevel: 'warning',
  // V8 looks at every character once before anything runs. Names stay, for traces.
  minifySyntax: true,
  minifyWhitespace: true,
  outdir: join(root, 'dist'),
  platform: 'node',
  sourcemap: 'inline',
  target,
  write: false,
};

/** In memory, with esbuild's account of what went where. One entry a command, so that a command loads only what it uses. */
export async function bundle() {
  const commands = (await filesBelow(join(root, 'commands'))).filter((file) => file.endsWith('.ts'));
  const kit = ['main', 'root-help', 'version-details'];
  const entryPoints = Object.fromEntries(kit.map((name) => [name, join(root, `src/cli/kit/${name}.ts`)]));
  for (const file of commands) entryPoints[relative(root, file).replace(/\.ts$/, '')] = file;
  return await build({
    ...options,
    entryPoints,
    metafile: true,
    plugins: [oneCore(commands), slimOclif],
    splitting: true,
  });
}

/**
 * What threads run, as one file of its own: what it shared with the program would be further files for the program to read, and a thread
 * that shared the program's would load all of that.
 */
export async function bundleWorker() {
  return await build({
    ...options,
    // A server that runs while the program is built again starts its threads with the one that it knows.
    entryNames: '[name]-[hash]',
    entryPoints: { worker: join(root, 'src/node/worker.ts') },
    metafile: true,
  });
}

/**
 * The page of share links, for browsers: two scripts and a style sheet that are whole in themselves, and the page as it is. A server that runs
 * from its sources makes them when somebody first asks.
 *
 * @returns {Promise<Record<string, string>>} texts by their names
 */
export async function bundleSharePage() {
  const folder = join(root, 'src/http/pages/share-page');
  const { outputFiles } = await build({
    absWorkingDir: root,
    bundle: true,
    charset: 'ascii',
    entryPoints: ['page.ts', 'worker.ts', 'page.css'].map((name) => join(folder, name)),
    format: 'iife',
    // Licences of libraries ask for it.
    legalComments: 'eof',
    logLevel: 'warning',
    minify: true,
    outdir: folder,
    platform: 'browser',
    // The oldest with service workers, streams and BigInt in all of them.
    target: ['chrome100', 'firefox100', 'safari15.4'],
    write: false,
  });
  const texts = outputFiles.map(({ path, text }) => [relative(folder, path), text]);
  return { ...Object.fromEntries(texts), 'page.html': await readFile(join(folder, 'page.html'), 'utf8') };
}

/**
 * esbuild makes a chunk for every set of entries that share code, a dozen for each command. Where every entry, import() included,
 * imports the base of all commands, what that needs is one chunk, and a start reads four files instead of fourteen.
 */
function oneCore(commands) {
  const core = join(root, 'src/cli/kit/command.ts');
  const starts = [...commands, join(root, 'src/cli/kit/main.ts')];
  // What a server loads when it is asked shares what every server has loaded, which is one chunk for the same reason.
  const serverCore = join(root, 'src/http/app.ts');
  const inServer = ['http', 'platform/ledger', 'platform/network', 'services'].map((name) =>
    join(root, 'src', name, '/'),
  );
  const isServers = (path) => path !== serverCore && inServer.some((folder) => path.startsWith(folder));
  return {
    name: 'one-core',
    setup(builder) {
      const coreOf = new Map();
      builder.onStart(async () => {
        const { now, later } = await importsOfSources();
        const inCore = loadedWith([core], now);
        // Commands load it as well, and must not load the server with it.
        const inCommands = loadedWith(
          [...starts, ...[...later].filter((path) => !isServers(path) && path !== serverCore)],
          now,
        );
        for (const path of [...starts, ...later]) {
          if (inCore.has(path)) continue;
          coreOf.set(path, isServers(path) && !inCommands.has(path) ? serverCore : core);
        }
      });
      builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const other = coreOf.get(path);
        if (other === undefined) return undefined;
        // Not by its whole path, which would be another one in another folder.
        const line = `import ${JSON.stringify(pathFrom(path, other))};`;
        return { contents: `${line}${await readFile(path, 'utf8')}`, loader: 'ts' };
      });
    },
  };
}

/** How a source names another one. */
function pathFrom(source, other) {
  const path = relative(dirname(source), other).replaceAll(sep, '/');
  return path.startsWith('.') ? path : `./${path}`;
}

/**
 * What the sources load: `now` before they run, `later` by import(). It is found before the bundler begins, which comes upon sources in
 * another order each time.
 */
async function importsOfSources() {
  const [now, later] = [new Map(), new Set()];
  for (const folder of ['src', 'commands']) {
    for (const path of await filesBelow(join(root, folder))) {
      if (!path.endsWith('.ts')) continue;
      const text = await readFile(path, 'utf8');
      const pathOf = (name) => join(dirname(path), name);
      now.set(path, loadedNow(text).map(pathOf));
      for (const name of loadedLater(text)) later.add(pathOf(name));
    }
  }
  return { now, later };
}

/** Everything that is loaded with one of `files`. */
function loadedWith(files, now, seen = new Set()) {
  for (const file of files) if (!seen.has(file)) loadedWith(now.get(file) ?? [], now, seen.add(file));
  return seen;
}

/**
 * esbuild splits ES modules alone, but Node loads CommonJS faster: by the time of its second module loader, and from version 22 on
 * because an ES module that imports node:http makes Node load all of fetch (40 ms).
 */
export async function asCommonJs({ path, text }) {
  const name = relative(join(root, 'dist'), path);
  const { code, map } = await transform(text, {
    charset: 'ascii',
    define: { 'import.meta.url': 'importMetaUrl' },
    format: 'cjs',
    minifyWhitespace: true,
    platform: 'node',
    sourcefile: name,
    sourcemap: 'external',
    sourcesContent: true,
    // import() would bring the other loader in, to find the same files.
    supported: { 'dynamic-import': false },
    target,
  });
  const head = code.includes('importMetaUrl')
    ? "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;"
    : '';
  // On the first line, which is esbuild's "use strict", so that the lines of the map stay right.
  return { path, code: `${head}${escaped(code)}//# sourceMappingURL=${name.split('/').at(-1)}.map\n`, map };
}

/**
 * esbuild escapes strings and names, but no regular expressions, and V8 keeps a file with one other character in twice the memory. What
 * follows in the line is a few columns off in the source map then.
 */
export function escaped(code) {
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  return code.replaceAll(/(\\*)([^\x00-\x7f])/g, (_, slashes, character) => {
    if (slashes.length % 2 === 1)
      throw new Error(`A backslash before ${character} cannot be kept: write \\u in the source.`);
    return `${slashes}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** All files in a folder and the folders in it. */
async function filesBelow(folder) {
  const entries = existsSync(folder) ? await readdir(folder, { recursive: true, withFileTypes: true }) : [];
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
