import { readFile } from 'node:fs/promises';

/**
 * What @oclif/core loads at every start for cases that this program never meets, each cut down to what is left of it. With this and the
 * laziness below, `conclave --help` takes two thirds of the time that it would otherwise.
 */
const stubs = {
  // Finds commands where there is no manifest.
  tinyglobby: `exports.glob = async () => { throw new Error('oclif.manifest.json is missing: npm run build makes it'); };`,
  // Picks plugins by pattern.
  minimatch: `exports.minimatch = (name, pattern) => name === pattern;`,
  // Belongs to a check of Node's version, see below.
  semver: '',
  // Searches for configuration beside package.json, which bin/run.js hands over.
  lilconfig: `exports.lilconfig = () => ({ search: async () => null });`,
  // Tells Windows' Linux from others and finds PowerShell, for two fields that nothing reads.
  'wsl-utils': `exports.isWsl = false; exports.powerShellPath = async () => 'powershell.exe';`,
  // Writes where DEBUG asks for it.
  debug: `module.exports = process.env.DEBUG ? require('debug') : () => Object.assign(() => {}, { enabled: false });`,
};

const edits = {
  // Looks for what Node oclif needs in a file that isn't part of the bundle; bin/run.js has compared it with what conclave needs.
  'index.js': ['checkNodeVersion();', ''],
  // The first localeCompare of a process loads collation tables for 12 ms; ids of commands are ASCII.
  'config/plugin.js': ['a.id.localeCompare(b.id)', 'a.id < b.id ? -1 : 1'],
  // Starts the threads that read files, which takes longer than to read two small ones. In one file, its manifest is a part of the program.
  'util/fs.js': [
    "await (0, promises_1.readFile)(path, 'utf8')",
    "(globalThis[Symbol.for('conclave.one-file')]?.readAt(path) ?? (0, node_fs_1.readFileSync)(path, 'utf8'))",
  ],
  // Loads the configuration again for every command, in case that it has another version of oclif. There is only one here.
  'config/config.js': ['if (isConfig(opts)) {', 'if (isConfig(opts)) { if (opts._base === BASE) return opts;'],
};

/** An esbuild plugin. It fails the build when an edit no longer finds its place. */
export const slimOclif = {
  name: 'slim-oclif',
  setup(build) {
    const isStub = new RegExp(`^(${Object.keys(stubs).join('|')})$`);
    build.onResolve({ filter: isStub }, ({ path, importer, namespace, resolveDir }) =>
      namespace === 'file' && importer.includes('/@oclif/core/')
        ? { path, namespace: 'slim-oclif', pluginData: resolveDir }
        : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'slim-oclif' }, ({ path, pluginData }) => ({
      contents: stubs[path],
      resolveDir: pluginData,
    }));
    build.onLoad({ filter: /\/cli-spinners\/spinners\.json$/ }, async ({ path }) => {
      // dots2 and line are oclif's, dots is ora's.
      const { dots, dots2, line } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ dots, dots2, line }), loader: 'json' };
    });
    build.onLoad({ filter: /\/@oclif\/core\/package\.json$/ }, async ({ path }) => {
      const { name, version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ name, version }), loader: 'json' };
    });
    build.onLoad({ filter: /\/@oclif\/core\/lib\/.*\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const [before, after] = edits[path.split('/@oclif/core/lib/')[1]] ?? ['', ''];
      if (!source.includes(before)) throw new Error(`${path} has no ${JSON.stringify(before)} to replace`);
      return { contents: lazily(source.replace(before, after)) };
    });
  },
};

/**
 * Turns the imports at the top of a file that TypeScript compiled to CommonJS into functions that load at the first use: half of what
 * oclif loads (child processes, sockets, terminals, performance) serves features that a run doesn't touch.
 */
export function lazily(source) {
  const names = [];
  const declared = source.replace(
    /^(?:const|var) (\w+_\d+) = ((?:__import\w+\()?require\("[^"]+"\)\)?);$/gm,
    (whole, name, load) => {
      // A module that is itself handed on has to be there.
      if (new RegExp(`(?<![\\w$.])${name}(?![\\w$.[]| = )`).test(source)) return whole;
      names.push(name);
      return `let ${name}$; function ${name}() { return (${name}$ ??= ${load}); }`;
    },
  );
  return names.reduce(
    (text, name) =>
      text
        .replace(new RegExp(`\\bnew ${name}((?:\\.\\w+)+)\\(`, 'g'), `new (${name}()$1)(`)
        .replace(new RegExp(`(?<![\\w$.])${name}(?=[.[])`, 'g'), `${name}()`),
    declared,
  );
}
