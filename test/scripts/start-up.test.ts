import type { BuildResult, Metafile, OutputFile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { readSources } from '../support/source-files.ts';

/** Whatever a command that talks to a server has no use for: it is loaded by import() where it is needed, or start-up pays for it. */
const heavy = new Set([
  '@noble/curves',
  '@noble/hashes',
  '@scure/bip32',
  '@scure/bip39',
  'argon2',
  'chrono-node',
  'crossws',
  'csv-parse',
  'h3',
  'inquirer',
  'jose',
  'kysely',
  'listhen',
  'node-forge',
  'ora',
  'pg',
  'prom-client',
  'rate-limiter-flexible',
  'smol-toml',
  'sql.js',
  'srvx',
]);

interface Script {
  readonly root: string;
  bundle(): Promise<BuildResult<{ metafile: true; write: false }>>;
  lazily(source: string): string;
}

async function script(name: string): Promise<Script> {
  return (await import(String(new URL(`../../scripts/${name}`, import.meta.url)))) as Script;
}

type Outputs = Metafile['outputs'];

/** Everything that is loaded before the first line of an entry runs. */
function loadedWith(outputs: Outputs, output: string, seen = new Set<string>()): Set<string> {
  for (const { path, kind, external } of seen.has(output) ? [] : (outputs[output]?.imports ?? [])) {
    seen.add(output);
    if (kind !== 'import-statement') continue;
    if (external) seen.add(path);
    else loadedWith(outputs, path, seen);
  }
  return seen.add(output);
}

/** The source map of a bundle, which is in its last line. */
function sourcesOf(text: string): string {
  return Buffer.from(
    /sourceMappingURL=data:application\/json;base64,(?<map>\S+)\s*$/.exec(text)?.groups?.['map'] ?? '',
    'base64',
  ).toString();
}

function packageOf(path: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
}

/** The names of the packages in the files that are loaded with an entry. */
function packagesIn(outputs: Outputs, entry: string): string[] {
  const files = [...loadedWith(outputs, entry)];
  const names = files.flatMap((file) => (outputs[file] ? Object.keys(outputs[file].inputs).map(packageOf) : [file]));
  return [...new Set(names)].filter((name) => name !== undefined);
}

/** Files of dist/ that are read before a command does anything, at most: each of them takes as long as a dozen of its functions. */
const mostFiles = {
  main: 8,
  'commands/whoami': 18,
  'commands/status': 17,
  'commands/vault/get': 25,
  'commands/vault/generate': 18,
  'commands/serve': 28,
};

describe('what is loaded at the start', { tags: 'thorough' }, () => {
  let metafile: Metafile;
  let outputFiles: readonly OutputFile[];

  beforeAll(async () => {
    ({ metafile, outputFiles } = await (await script('bundle.mjs')).bundle());
  });

  it('is the same each time, and in each folder', { tags: 'soak' }, async () => {
    const again = await (await script('bundle.mjs')).bundle();
    const hashes = (files: readonly OutputFile[]) => files.map(({ path, hash }) => `${path} ${hash}`).toSorted();
    expect(hashes(again.outputFiles)).toEqual(hashes(outputFiles));
    const { root } = await script('bundle.mjs');
    const named = outputFiles.filter(({ text }) => text.includes(root) || sourcesOf(text).includes(root));
    expect(named.map(({ path }) => path)).toEqual([]);
  });

  it.each(Object.entries(mostFiles))('is few files for %s', (entry, most) => {
    const files = [...loadedWith(metafile.outputs, `dist/${entry}.js`)].filter((name) => name in metafile.outputs);
    expect(files.length).toBeGreaterThan(3);
    expect(files.length).toBeLessThanOrEqual(most);
  });

  it('is nothing but the page itself for --help', () => {
    const loaded = [...loadedWith(metafile.outputs, 'dist/root-help.js')];
    expect(loaded.flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}))).toEqual([
      'src/cli/kit/root-help.ts',
    ]);
  });

  it('is oclif for the program', () => {
    expect(packagesIn(metafile.outputs, 'dist/main.js')).toContain('@oclif/core');
  });

  it('is nothing heavy for the program and each of its commands', () => {
    const entries = Object.keys(metafile.outputs).filter((path) => /^dist\/(?:main|commands\/.*)\.js$/.test(path));
    const found = entries.flatMap((entry) =>
      packagesIn(metafile.outputs, entry)
        .filter((name) => heavy.has(name))
        .map((name) => `${entry} loads ${name}`),
    );
    expect(entries.length).toBeGreaterThan(1);
    expect(found).toEqual([]);
  });

  it('has no decoder of images, which threads alone load', () => {
    expect(Object.keys(metafile.inputs)).toContain('src/services/filevault/watermarks/task.ts');
    expect(Object.keys(metafile.inputs)).not.toContain('src/shared/attachments/images/codec.ts');
  });

  it('is found where the bundler puts it: the exports of a CommonJS package are on its default', async () => {
    const sources = await readSources(['commands', 'src']);
    const offenders = sources.flatMap(({ path, text }) =>
      (metafile.inputs[path]?.imports ?? [])
        .filter(({ kind, path: target }) => kind === 'dynamic-import' && metafile.inputs[target]?.format === 'cjs')
        .filter(({ original = '' }) => !takesDefault(text, original))
        .map(({ original }) => `${path} takes named exports of ${original}`),
    );
    expect(offenders).toEqual([]);
  });
});

function takesDefault(text: string, name: string): boolean {
  const call = `import\\('${name.replaceAll(/[.*+?^$()|[\]\\/]/g, '\\$&')}'\\)`;
  return new RegExp(
    `\\{ default: \\w+ \\} = await ${call}|${call}\\)\\.default|${call}\\.then\\(\\(\\{ default: \\w+ \\}\\)`,
  ).test(text);
}

describe('laziness', () => {
  const header = ['const path_1 = require("node:path");', 'const x_2 = __importDefault(require("./x"));'];

  it('loads a module at its first use, and once', async () => {
    const { lazily } = await script('slim-oclif.mjs');
    const source = [
      ...header,
      'exports.go = () => new x_2.default((0, path_1.join)("a", "b"), x_2.default.name);',
    ].join('\n');
    const loaded: string[] = [];
    const modules: Record<string, unknown> = {
      'node:path': { join: (...parts: string[]) => parts.join('/') },
      './x': class {
        at: string;
        constructor(at: string) {
          this.at = at;
        }
      },
    };
    const exports: { go?: () => { at: string } } = {};
    // oxlint-disable-next-line no-new-func, no-implied-eval -- this is what a module loader does
    const run = new Function('exports', 'require', '__importDefault', lazily(source));
    run(
      exports,
      (name: string) => (loaded.push(name), modules[name]),
      (value: unknown) => ({ default: value }),
    );
    expect(loaded).toEqual([]);
    expect(exports.go?.().at).toBe('a/b');
    exports.go?.();
    expect(loaded).toEqual(['./x', 'node:path']);
  });

  it('leaves what is handed on as a whole', async () => {
    const { lazily } = await script('slim-oclif.mjs');
    const source = [...header, 'use(path_1);', 'x_2.default();'].join('\n');
    expect(lazily(source)).toContain('const path_1 = require("node:path");');
    expect(lazily(source)).toContain('x_2().default();');
  });
});
