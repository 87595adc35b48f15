import { once } from 'node:events';
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'conclave-load-'));
  await writeFile(join(home, 'spy.cjs'), spy);
});

afterAll(async () => {
  await rm(home, { recursive: true });
});

/** Says of every file of the bundle whether V8 took what was compiled ahead. */
const spy = `
const vm = require('node:vm');
const { Script } = vm;
vm.Script = class extends Script {
  constructor(code, options) {
    super(code, options);
    process.stderr.write(options.filename + ' ' + (options.cachedData ? !this.cachedDataRejected : 'none') + '\\n');
  }
};`;

function spied(program: string, line: readonly string[], options: readonly string[] = []) {
  return execa(process.execPath, [...options, '--require', join(home, 'spy.cjs'), program, ...line], {
    env: { HOME: home, XDG_CONFIG_HOME: home, CONCLAVE_DATA_DIR: join(home, 'data'), CONCLAVE_LOG_LEVEL: 'error' },
  });
}

/** What the spy said of each file. */
function saidIn(stderr: string): string[] {
  return stderr.split('\n').filter((line) => line.startsWith('dist/'));
}

async function generated(program: string, ...options: string[]): Promise<string[]> {
  const { stdout, stderr } = await spied(program, ['vault', 'generate', '--length', '24'], options);
  expect(stdout).toMatch(/^\S{24}$/);
  return saidIn(stderr);
}

/** A built copy of the program; packages are found where they are. */
async function copy(): Promise<string> {
  const folder = await mkdtemp(join(home, 'copy-'));
  for (const name of ['bin', 'package.json', 'oclif.manifest.json'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  await cp(join(root, 'dist'), join(folder, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.map') });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

describe('what the build writes', () => {
  it('means the same whichever way its bytes are read', async () => {
    const files = await readdir(join(root, 'dist'), { recursive: true });
    const found: string[] = [];
    for (const file of files.filter((name) => name.endsWith('.js'))) {
      const text = await readFile(join(root, 'dist', file), 'latin1');
      // oxlint-disable-next-line no-control-regex -- all of ASCII
      for (const [around] of text.matchAll(/.{0,30}[^\x00-\x7f]+.{0,30}/g)) found.push(`${file}: ${around}`);
    }
    expect(files.length).toBeGreaterThan(30);
    expect(found).toEqual([]);
  });

  it('has regular expressions of ASCII alone', async () => {
    const { escaped } = (await import(String(new URL('../../scripts/bundle.mjs', import.meta.url)))) as {
      escaped(code: string): string;
    };
    const pattern = String.raw`^— [\x80-￼é]+\\ü 😀`;
    const both = [pattern, escaped(pattern)].map((one) => new RegExp(one, 'u'));
    // oxlint-disable-next-line no-control-regex -- all of ASCII
    expect(escaped(pattern)).toMatch(/^[\x00-\x7f]+$/);
    const texts = ['— é\\ü 😀', '- é\\ü 😀', '— e\\ü 😀'];
    expect(texts.map((text) => both.map((one) => one.test(text)))).toEqual([
      [true, true],
      [false, false],
      [false, false],
    ]);
    expect(() => escaped(String.raw`/\—/`)).toThrow('backslash');
  });
});

describe('what the build compiles ahead', () => {
  it('is taken by V8, whole', async () => {
    const said = await generated(join(root, 'bin/run.js'));
    expect(said.length).toBeGreaterThan(5);
    expect(said.filter((line) => !line.endsWith(' true'))).toEqual([]);
  });

  it('is taken for a server as well, which changes flags of V8 when it is ready', async () => {
    await spied(join(root, 'bin/run.js'), ['init', '--generate-password']);
    const server = spied(join(root, 'bin/run.js'), ['serve', '--port', '0']);
    await once(server.stdout, 'data');
    server.kill('SIGTERM');
    const said = saidIn((await server).stderr);
    expect(said.length).toBeGreaterThan(30);
    expect(said.filter((line) => !line.endsWith(' true'))).toEqual([]);
  });

  it('may be damaged, cut short or missing: the text is compiled instead', async () => {
    const folder = await copy();
    const [version = ''] = await readdir(join(folder, 'dist/compiled'));
    const compiled = join(folder, 'dist/compiled', version);
    const [first = '', second = '', ...rest] = (await readdir(compiled)).filter((name) => name.endsWith('.bin'));
    await writeFile(join(compiled, first), 'something else');
    await truncate(join(compiled, second), 100);
    for (const name of rest) await rm(join(compiled, name));
    const said = await generated(join(folder, 'bin/run.js'));
    expect(said.filter((line) => line.startsWith('dist/chunk-') && line.endsWith(' true'))).toEqual([]);
  });

  it('is left where Node is asked to find the sources', async () => {
    expect(await generated(join(root, 'bin/run.js'), '--enable-source-maps')).toEqual([]);
  });

  it('is for one version of Node; another compiles the text', async () => {
    const folder = await copy();
    const { compiledFolder } = (await import(join(folder, 'bin/load.js'))) as { compiledFolder: string };
    expect(compiledFolder).toContain(process.version);
    await rm(join(folder, 'dist', compiledFolder), { recursive: true });
    expect((await generated(join(folder, 'bin/run.js'))).every((line) => line.endsWith(' none'))).toBe(true);
  });
});

describe('the short manifest', () => {
  it('has every command, with its arguments and its file', async () => {
    const [long, short] = await Promise.all([manifestIn(root), manifestIn(join(root, 'dist'))]);
    expect(Object.keys(short.commands)).toEqual(Object.keys(long.commands));
    for (const [id, { args, summary, relativePath }] of Object.entries(short.commands)) {
      expect({ args, summary }).toEqual({ args: long.commands[id]?.args, summary: long.commands[id]?.summary });
      expect(join(root, 'dist', ...relativePath)).toBe(join(root, ...(long.commands[id]?.relativePath ?? [])));
      await access(join(root, 'dist', ...relativePath));
    }
  });

  it('gives every command the flags that all have', async () => {
    const { commands } = await manifestIn(root);
    const without = Object.entries(commands).filter(([, { flags }]) => !('json' in flags));
    expect(without.map(([id]) => id)).toEqual([]);
  });

  it('has a part for each command that no other one begins with, which is what oclif reads', async () => {
    const { commands } = await manifestIn(join(root, 'dist'));
    const ids = Object.keys(commands);
    const alone = ids.filter((id) => !ids.some((other) => other.startsWith(`${id}:`)));
    expect(alone.length).toBeGreaterThan(50);
    const found = await readdir(join(root, 'dist/commands'), { recursive: true });
    const folders = found.filter((name) => name.endsWith('oclif.manifest.json')).map((name) => dirname(name));
    expect(folders.toSorted()).toEqual(alone.map((id) => id.replaceAll(':', '/')).toSorted());
    for (const id of alone) {
      const folder = join(root, 'dist/commands', ...id.split(':'));
      const { relativePath, ...own } = (await manifestIn(folder)).commands[id] ?? { relativePath: [] };
      const { relativePath: path, ...whole } = commands[id] ?? { relativePath: [] };
      expect(own).toEqual(whole);
      expect(join(folder, ...relativePath)).toBe(join(root, 'dist', ...path));
    }
    const folder = await copy();
    for (const name of ['oclif.manifest.json', 'topics.json']) await rm(join(folder, 'dist', name));
    await generated(join(folder, 'bin/run.js'));
  });

  it('is read in no folder that a word leads to', async () => {
    const folder = await copy();
    const word = '../../elsewhere';
    const elsewhere = join(folder, 'elsewhere');
    await mkdir(elsewhere);
    const { commands, version } = await manifestIn(join(folder, 'dist'));
    const command = { ...commands['vault:generate'], id: word, relativePath: ['command.js'] };
    await writeFile(join(elsewhere, 'oclif.manifest.json'), JSON.stringify({ commands: { [word]: command }, version }));
    await writeFile(join(elsewhere, 'command.js'), "process.stdout.write('elsewhere')");
    const { stdout, stderr } = await execa(process.execPath, [join(folder, 'bin/run.js'), word], { reject: false });
    expect(stdout).toBe('');
    expect(stderr).toContain(`There is no command "${word}".`);
  });

  it('is not what help is written from', async () => {
    const { stdout } = await execa(process.execPath, [join(root, 'bin/run.js'), 'vault', 'generate', '--help']);
    expect(stdout).toContain('--length');
    expect(stdout).toContain('EXAMPLES');
  });
});

async function manifestIn(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'oclif.manifest.json'), 'utf8')) as Manifest;
}

interface Manifest {
  readonly version: string;
  readonly commands: Readonly<
    Record<
      string,
      {
        readonly args: object;
        readonly flags: object;
        readonly summary?: string;
        readonly relativePath: readonly string[];
      }
    >
  >;
}

describe('where Node keeps what was compiled itself', () => {
  it('is beside the program, and the bundle is loaded by its own loader', async () => {
    const folder = await copy();
    const keeping = join(home, 'keeping.cjs');
    await writeFile(
      keeping,
      "require('node:module').enableCompileCache = (folder) => void process.stderr.write('kept in ' + folder + '\\n');",
    );
    const options = ['--require', keeping];
    const { stdout, stderr } = await spied(
      join(folder, 'bin/run.js'),
      ['vault', 'generate', '--length', '24'],
      options,
    );
    expect(stdout).toMatch(/^\S{24}$/);
    expect(stderr).toContain(`kept in ${join(folder, 'dist/compiled')}`);
    expect(saidIn(stderr)).toEqual([]);
  });
});
