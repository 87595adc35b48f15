import { readFile } from 'node:fs/promises';

/**
 * What @oclif/core loads at every start for cases that this program never meets, each cut down to what is left of it.
 * On Node 22 `conclave --help` takes 2.3 times as long as bare Node with it, 3.3 times without.
 */
const stubs = {
  // Finds commands where there is no manifest.
  tinyglobby: `exports.glob = async () => { throw new Error('oclif.manifest.json is missing: npm run build makes it'); };`,
  // Picks plugins by pattern.
  minimatch: `exports.minimatch = (name, pattern) => name === pattern;`,
  // Compares the version of Node with what oclif needs; bin/run.js has compared it with what conclave needs.
  semver: `exports.satisfies = () => true;`,
  // Searches for configuration beside package.json, which bin/run.js hands over.
  lilconfig: `exports.lilconfig = () => ({ search: async () => null });`,
  // Tells Windows' Linux from others and finds PowerShell, for two fields that nothing reads.
  'wsl-utils': `exports.isWsl = false; exports.powerShellPath = async () => 'powershell.exe';`,
};

const edits = {
  // The first localeCompare of a process loads collation tables for 12 ms; ids of commands are ASCII.
  'lib/config/plugin.js': ['a.id.localeCompare(b.id)', 'a.id < b.id ? -1 : 1'],
};

/** An esbuild plugin. It fails the build when an edit no longer finds its place. */
export const slimOclif = {
  name: 'slim-oclif',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(${Object.keys(stubs).join('|')})$`) }, ({ path, importer }) =>
      importer.includes('/@oclif/core/') ? { path, namespace: 'slim-oclif' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'slim-oclif' }, ({ path }) => ({ contents: stubs[path] }));
    build.onLoad({ filter: /\/cli-spinners\/spinners\.json$/ }, async ({ path }) => {
      const { dots2, line } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ dots2, line }), loader: 'json' };
    });
    for (const [file, [before, after]] of Object.entries(edits)) {
      build.onLoad({ filter: new RegExp(`/@oclif/core/${file}$`) }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        if (!source.includes(before)) throw new Error(`${path} has no ${JSON.stringify(before)} to replace`);
        return { contents: source.replace(before, after) };
      });
    }
  },
};
