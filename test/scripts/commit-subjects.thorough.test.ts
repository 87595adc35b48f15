import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/stores.ts';

const script = fileURLToPath(new URL('../../scripts/commit-subjects.mjs', import.meta.url));
const { faultsOf, wrongSubjects } = (await import(pathToFileURL(script).href)) as {
  faultsOf(subject: string): string[];
  wrongSubjects(root: string, since?: string): Promise<{ id: string; subject: string; faults: string[] }[]>;
};

describe('a subject', () => {
  const area = expect.stringContaining('names no area');
  const long = expect.stringContaining('longer than 72 characters');
  const wip = expect.stringContaining('unfinished');

  it.each([
    ['tests: poll for the state instead of sleeping', []],
    ['file vault: keep what an upload has', []],
    ['scripts, docs: write the page of commands in the build', []],
    [`docs: ${'ä'.repeat(66)}`, []],
    [`docs: ${'𝄞'.repeat(66)}`, []],
    [`docs: ${'a'.repeat(67)}`, [long]],
    ['Poll for the state', [area]],
    ['The state is polled: nothing sleeps', [area]],
    ['tests:poll', [area]],
    ['tests: ', [area]],
    ['', [area]],
    ['wip: tests', [wip]],
    ['WIP: tests', [area, wip]],
    ['WIP', [area, wip]],
    ['tests: [wip] poll', [wip]],
    ['tests: wipe the folder', []],
    [`Wip ${'a'.repeat(70)}`, [long, area, wip]],
    ['fixup! tests: poll', [area]],
  ])('%s', (subject, faults) => {
    expect(faultsOf(subject)).toEqual(faults);
  });
});

describe('subjects of commits', { tags: 'needs-program' }, () => {
  let folder: AsyncDisposable & { readonly path: string };
  let root: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    root = join(folder.path, 'project');
    await mkdir(root);
  });
  afterEach(async () => await folder[Symbol.asyncDispose]());

  // Settings of whoever runs the tests stay out: signatures, hooks, the name of the first branch.
  const git = async (...words: readonly string[]): Promise<string> => {
    const author = ['user.name=Ada', 'user.email=ada@example.org', 'init.defaultBranch=main'];
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder.path, GIT_CONFIG_NOSYSTEM: '1' };
    const options = author.flatMap((setting) => ['-c', setting]);
    return (await execa('git', [...options, ...words], { cwd: root, env, extendEnv: false })).stdout;
  };
  const commit = async (...subjects: readonly string[]): Promise<string> => {
    for (const subject of subjects) await git('commit', '--quiet', '--allow-empty', '--message', subject);
    return await git('rev-parse', 'HEAD');
  };
  const found = async (where: string, since: string) => {
    return (await wrongSubjects(where, since)).map(({ subject }) => subject);
  };

  it('are looked at after the base, without merges', async () => {
    await git('init', '--quiet');
    const base = await commit('Everything begins');
    expect(await wrongSubjects(root, base)).toEqual([]);
    await git('checkout', '--quiet', '-b', 'other', base);
    await commit('docs: say how', 'No area');
    await git('checkout', '--quiet', 'main');
    const last = await commit(
      'tests: poll for the state\n\nWhatever length a body has: it is read by people who have time.',
      'wip: more',
    );
    await git('merge', '--quiet', '--no-ff', '--message', "Merge branch 'other'", 'other');
    const wrong = await wrongSubjects(root, base);
    expect(wrong.map(({ subject }) => subject).toSorted()).toEqual(['No area', 'wip: more']);
    expect(wrong.find(({ subject }) => subject === 'wip: more')).toEqual({
      id: last,
      subject: 'wip: more',
      faults: [expect.any(String)],
    });
  });

  it('go over lines where a message has no empty one', async () => {
    await git('init', '--quiet');
    const base = await commit('Everything begins');
    await commit(`tests: poll for the state\n${'and never sleep '.repeat(4)}\n\nBody.`);
    expect(await found(root, base)).toEqual([`tests: poll for the state ${'and never sleep '.repeat(4).trim()}`]);
  });

  it('are those that a shallow clone has, where a merge at its end has no parents', { tags: 'soak' }, async () => {
    await git('init', '--quiet');
    const base = await commit('Everything begins');
    await git('checkout', '--quiet', '-b', 'other');
    await commit('docs: say how');
    await git('checkout', '--quiet', 'main');
    await commit('Not in the clone');
    await git('merge', '--quiet', '--no-ff', '--message', "Merge branch 'other'", 'other');
    await commit('No area', 'tests: poll');
    const clone = join(folder.path, 'clone');
    await git('clone', '--quiet', '--depth', '3', `file://${root}`, clone);
    expect(await git('-C', clone, 'log', '--no-merges', '--format=%s')).toContain('Merge branch');
    expect(await found(clone, base)).toEqual(['No area']);
    await git(
      'clone',
      '--quiet',
      '--depth',
      '2',
      `file://${root}`,
      join(folder.path, 'with base'),
      '--branch',
      'other',
    );
    expect(await found(join(folder.path, 'with base'), base)).toEqual([]);
  });

  it('are nobody’s without a repository, in that of a folder above, and in another history', async () => {
    const base = 'a'.repeat(40);
    expect(await wrongSubjects(root, base)).toEqual([]);
    await git('init', '--quiet');
    await commit('Everything begins');
    const inside = join(root, 'unpacked');
    await mkdir(inside);
    expect(await wrongSubjects(inside, base)).toEqual([]);
    expect(await wrongSubjects(root, base)).toEqual([]);
  });

  it('are printed with what is wrong, and the check fails', async () => {
    const place = join(root, 'scripts/commit-subjects.mjs');
    await cp(script, place);
    const check = async (file: string) => await execa(process.execPath, [file], { reject: false });
    expect(await check(place)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    await git('init', '--quiet');
    await commit('Everything begins', 'tests: poll');
    const clone = join(folder.path, 'clone');
    await git('clone', '--quiet', '--depth', '2', `file://${root}`, clone);
    await cp(script, join(clone, 'scripts/commit-subjects.mjs'));
    const { exitCode, stdout } = await check(join(clone, 'scripts/commit-subjects.mjs'));
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /^[\da-f]{12} "Everything begins" names no area in front, as in "tests: poll for the state"$/,
    );
    await rm(join(clone, '.git'), { recursive: true });
    expect(await check(join(clone, 'scripts/commit-subjects.mjs'))).toMatchObject({ exitCode: 0, stdout: '' });
  });
});
