import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launcher } from '../support/program.ts';

/** What the program's own loader takes, and outputs that are pipes. */
const start = ['diagnostics_channel', 'module', 'net', 'stream', 'stream/promises', 'string_decoder', 'vm'];
const http = ['http', 'os'];

/** Modules of Node that a command may load beyond those of an empty script: a dozen of them take as long as the command's own code. */
const hot: readonly (readonly [words: string, needed: readonly string[]])[] = [
  // Answered before anything else is loaded.
  ['--version', []],
  ['--help', start],
  ['vault generate', [...start, 'crypto', 'os']],
  ['whoami', [...start, ...http]],
  ['vault get Mine/Mail', [...start, ...http]],
  ['vault get Mine/Mail --field username', [...start, ...http]],
];

/** Parts of Node that come with others, unseen: standard input that nobody reads brings readline, which brings the history of its REPL. */
const heavy = new Set([
  'internal/crypto/webcrypto',
  'internal/fs/promises',
  'internal/readline/interface',
  'internal/repl/history',
  'internal/worker',
]);

describe('what Node loads for the commands that are run most', { tags: 'needs-node-options' }, () => {
  let folder: string;
  let env: Record<string, string>;
  let server: ReturnType<typeof execa>;

  const run = async (words: readonly string[], options: readonly string[] = [], input = '') =>
    // Without NODE_ENV, which tests have: oclif looks for sources in TypeScript then.
    await execa(process.execPath, [...options, '--', launcher, ...words], { env, extendEnv: false, input });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conclave-modules-'));
    env = {
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      CONCLAVE_DATA_DIR: join(folder, 'data'),
      CONCLAVE_MASTER_PASSWORD: 'twelve green bottles hanging',
    };
    await writeFile(
      join(folder, 'listing.cjs'),
      // Not by an output of the process, which brings modules of its own.
      `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'list'))}, process.moduleLoadList.join('\\n')));`,
    );
    await run(['init', '--generate-password']);
    server = execa(process.execPath, ['--', launcher, 'serve', '--port', '0'], { env, extendEnv: false });
    await once(server.stdout ?? process.stdin, 'data');
    const note = await readFile(join(folder, 'data/first-administrator.txt'), 'utf8');
    await run(['login', 'admin', '--password-file', '-'], [], /^password: (.*)$/m.exec(note)?.[1]);
    await run(['vault', 'create', 'Mine']);
    await run(['vault', 'add', 'Mine/Mail', 'username=me', '--generate']);
  });

  afterAll(async () => {
    server.kill('SIGTERM');
    await server;
    await rm(folder, { recursive: true });
  });

  const loadedBy = async (...line: string[]): Promise<string[]> => {
    const listing = ['--require', join(folder, 'listing.cjs')];
    await execa(process.execPath, [...listing, ...line], { env, extendEnv: false });
    const list = await readFile(join(folder, 'list'), 'utf8');
    return list.split('\n').flatMap((name) => /^NativeModule (.*)$/.exec(name)?.[1] ?? []);
  };

  it.each(hot)('is no more than it needs for %s', async (words, needed) => {
    const [bare, ours] = [await loadedBy('--eval', '0'), await loadedBy('--', launcher, ...words.split(' '))];
    const added = ours.filter((name) => !bare.includes(name));
    expect(ours).toContain('internal/modules/cjs/loader');
    expect(added).toEqual(expect.arrayContaining(needed.slice(-1)));
    expect(added.filter((name) => !/^(?:internal\/|_)/.test(name) && !needed.includes(name))).toEqual([]);
    expect(added.filter((name) => heavy.has(name))).toEqual([]);
  });
});
