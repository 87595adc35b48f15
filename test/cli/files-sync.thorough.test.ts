import { mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import SyncCommand from '../../commands/files/sync.ts';
import { excluding } from '../../src/cli/files/transfer/globs.ts';
import { conflictName } from '../../src/cli/files/sync/local-steps.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';
import { expectEqual, openSyncScene, removeHere, type SyncScene } from './files-sync-scene.ts';

let scene: SyncScene;
beforeAll(async () => {
  scene = await openSyncScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

const noted = (name: string): unknown =>
  expect.stringMatching(new RegExp(`^${name} \\(conflict \\d{4}-\\d\\d-\\d\\d box\\)`));

describe('files sync --both', () => {
  it('gives each side what the other one has, and then asks for listings alone', async () => {
    const pair = await scene.pair();
    await pair.write('a/one.txt', 'one');
    await pair.makeThere('b');
    await pair.store('b/two.txt', 'two');
    await pair.sync();
    await expectEqual(pair, { a: '', 'a/one.txt': 'one', b: '', 'b/two.txt': 'two' });
    const times = [
      (await pair.at('b/two.txt')).file?.modifiedAt,
      (await stat(join(pair.root, 'b/two.txt'))).mtime.toISOString(),
    ];
    expect(times[0]).toBe(times[1]);
    const asked: string[] = [];
    const send = scene.client.transport.send.bind(scene.client.transport);
    Object.assign(scene.client.transport, {
      send: async (...given: Parameters<typeof send>) => {
        asked.push(`${given[0].method} ${given[0].path.split('?')[0]}`);
        return await send(...given);
      },
    });
    await pair.sync();
    Object.assign(scene.client.transport, { send });
    expect(asked.filter((one) => !/^GET \/filevault\/(?:folders\/[0-9a-f]{32}|upload)$/.test(one))).toEqual([]);
    expect(asked).toHaveLength(4);
  });

  it('moves only what changed, and knows renames of files and folders on both sides', async () => {
    const pair = await scene.pair();
    for (const name of ['in/a', 'in/b', 'c', 'd']) await pair.write(name, `text of ${name}`);
    await pair.sync();
    const before = await pair.at('in/a');
    await rename(join(pair.root, 'in'), join(pair.root, 'out'));
    await rename(join(pair.root, 'd'), join(pair.root, 'out', 'e'));
    const c = (await pair.at('c')).file?.id ?? '';
    await perform(scene.client, filevault.changeFile, { id: c, fileName: 'C2' });
    await pair.write('out/b', 'changed');
    const { actions } = await pair.sync();
    expect(actions.map(({ action, path }) => `${action} ${path}`).toSorted()).toEqual([
      'move-local c',
      'move-remote d',
      'move-remote in',
      'upload out/b',
    ]);
    expect((await pair.at('out/a')).file?.id).toBe(before.file?.id);
    await expectEqual(pair, {
      out: '',
      'out/a': 'text of in/a',
      'out/b': 'changed',
      'out/e': 'text of d',
      C2: 'text of c',
    });
  });

  it('names what was sent in the order of paths, whatever was there first', async () => {
    const pair = await scene.pair();
    await pair.write('a', 'x'.repeat(9 * 2 ** 20));
    await pair.write('b', 'small');
    const { actions } = await pair.sync();
    expect(actions.map(({ path }) => path)).toEqual(['a', 'b']);
  });

  it('keeps both of what both changed or added, and a change against a deletion', async () => {
    const pair = await scene.pair();
    for (const name of ['both', 'here-gone', 'there-gone', 'gone']) await pair.write(`${name}.txt`, 'at first');
    await pair.sync();
    await pair.write('both.txt', 'changed here');
    await pair.store('both.txt', 'changed there');
    await pair.write('new.txt', 'added here');
    await pair.store('new.txt', 'added there');
    await pair.write('same.txt', 'the same');
    await pair.store('same.txt', 'the same');
    await removeHere(pair, 'here-gone.txt');
    await pair.store('here-gone.txt', 'changed there');
    await perform(scene.client, filevault.removeFile, { id: (await pair.at('there-gone.txt')).file?.id ?? '' });
    await pair.write('there-gone.txt', 'changed here');
    await removeHere(pair, 'gone.txt');
    const { actions } = await pair.sync();
    // Contents are compared side by side, and named in the order of their paths.
    expect(actions.filter(({ action }) => action === 'conflict')).toEqual([
      { action: 'conflict', path: 'both.txt', to: noted('both') },
      { action: 'conflict', path: 'new.txt', to: noted('new') },
    ]);
    const here = await pair.here();
    expect(
      Object.entries(here)
        .map(([name, text]) => [name.replace(/ \(conflict.*\)/, ' (c)'), text])
        .toSorted(),
    ).toEqual([
      ['both (c).txt', 'changed here'],
      ['both.txt', 'changed there'],
      ['here-gone.txt', 'changed there'],
      ['new (c).txt', 'added here'],
      ['new.txt', 'added there'],
      ['same.txt', 'the same'],
      ['there-gone.txt', 'changed here'],
    ]);
    await expectEqual(pair);
  });

  it(
    'removes whole folders, to the trash at the server, and keeps those in which something stays',
    { tags: 'soak' },
    async () => {
      const pair = await scene.pair();
      for (const name of ['x/1', 'x/y/2', 'k/3', 'k/4', 'r/5', 'w/6']) await pair.write(name, name);
      await pair.sync();
      const [x, r, w] = [
        (await pair.at('x')).folder.id,
        (await pair.at('r')).folder.id,
        (await pair.at('w')).folder.id,
      ];
      await removeHere(pair, 'x');
      await removeHere(pair, 'k');
      await pair.store('k/4', 'changed');
      for (const id of [r, w]) await perform(scene.client, filevault.removeFolder, { id });
      await pair.write('w/7', 'new');
      const { actions } = await pair.sync();
      expect(
        actions
          .filter(({ action }) => action === 'trash-remote')
          .map(({ path }) => path)
          .toSorted(),
      ).toEqual(['k/3', 'x']);
      await expectEqual(pair, { k: '', 'k/4': 'changed', w: '', 'w/7': 'new' });
      await perform(scene.client, filevault.restoreFolder, { id: x });
      await pair.sync();
      await expectEqual(pair, {
        k: '',
        'k/4': 'changed',
        w: '',
        'w/7': 'new',
        x: '',
        'x/1': 'x/1',
        'x/y': '',
        'x/y/2': 'x/y/2',
      });
    },
  );

  it('copes with names that swap, folders moved into each other, and kinds that differ', { tags: 'soak' }, async () => {
    const pair = await scene.pair();
    for (const name of ['a', 'b', 'p/1', 'q/2']) await pair.write(name, `text of ${name}`);
    await pair.sync();
    for (const [from, to] of [
      ['a', 't'],
      ['b', 'a'],
      ['t', 'b'],
    ] as const)
      await rename(join(pair.root, from), join(pair.root, to));
    await rename(join(pair.root, 'p'), join(pair.root, 'q', 'p'));
    const [p, q] = [(await pair.at('p')).folder.id, (await pair.at('q')).folder.id];
    await perform(scene.client, filevault.moveItem, { id: q, itemType: 'folder', newParentId: p });
    await pair.write('kind', 'a file here');
    await pair.makeThere('kind');
    expect((await pair.sync()).failures.list).toEqual([]);
    const here = await pair.here();
    expect(here).toMatchObject({ a: 'text of b', b: 'text of a', kind: '' });
    expect(Object.values(here)).toEqual(expect.arrayContaining(['text of p/1', 'text of q/2', 'a file here']));
    await expectEqual(pair);
  });

  it('leaves alone what it cannot send, what is excluded, and a side that is empty all at once', async () => {
    const pair = await scene.pair();
    for (const name of ['keep', 'cut', 'cache/x', 'in/y']) await pair.write(name, name);
    await symlink('keep', join(pair.root, 'link'));
    await pair.store('con.txt', 'a device');
    await pair.sync({ excluded: excluding(['cache/']) });
    expect(await pair.there()).toEqual({ keep: 'keep', cut: 'cut', in: '', 'in/y': 'in/y', 'con.txt': 'a device' });
    expect(await readFile(join(pair.root, '_con.txt'), 'utf8')).toBe('a device');
    await writeFile(join(pair.root, 'cut'), '');
    const { leftOut } = await pair.sync({ excluded: excluding(['cache/']) });
    expect(leftOut).toEqual([
      { path: 'cut', why: 'empty' },
      { path: 'link', why: 'a symbolic link' },
    ]);
    expect(await pair.there()).toMatchObject({ cut: 'cut' });
    for (const name of ['keep', 'cut', 'cache', 'in', 'link', '_con.txt'])
      await rm(join(pair.root, name), { recursive: true });
    await expect(pair.sync({ allowEmpty: false })).rejects.toMatchObject({ code: 'SYNC_SIDE_EMPTY' });
    expect(await pair.there()).toMatchObject({ keep: 'keep' });
    await pair.sync();
    expect(await pair.there()).toEqual({});
  });

  it('names copies within the length of a name', () => {
    const now = Date.parse('2026-11-24T12:00:00Z');
    expect(conflictName('a.tar.gz', 'my host!', now, 1)).toBe('a.tar (conflict 2026-11-24 myhost).gz');
    expect(conflictName('.profile', 'h', now, 2)).toBe('.profile (conflict 2026-11-24 h 2)');
    expect(Buffer.byteLength(conflictName(`${'ü'.repeat(120)}.txt`, 'h'.repeat(99), now, 1))).toBeLessThanOrEqual(255);
  });
});

describe('files sync in one direction', () => {
  it('makes the other side as this one is, and removes only if it is told to', async () => {
    const pair = await scene.pair();
    for (const name of ['a', 'd/b']) await pair.write(name, name);
    await pair.sync({ mode: 'push', deletes: false });
    await pair.store('a', 'changed there');
    await pair.store('extra', 'only there');
    await removeHere(pair, 'd');
    await pair.sync({ mode: 'push', deletes: false });
    expect(await pair.there()).toEqual({ a: 'a', d: '', 'd/b': 'd/b', extra: 'only there' });
    expect(await pair.here()).toEqual({ a: 'a' });
    await pair.sync({ mode: 'push', deletes: true });
    expect(await pair.there()).toEqual({ a: 'a' });
  });

  it('takes from the server, and sets aside what was changed here', { tags: 'soak' }, async () => {
    const pair = await scene.pair();
    await pair.makeThere('d');
    for (const name of ['a', 'd/b', 'd/c']) await pair.store(name, name);
    await pair.sync({ mode: 'pull', deletes: false });
    await pair.write('a', 'changed here');
    await pair.write('own', 'only here');
    await perform(scene.client, filevault.removeFile, { id: (await pair.at('d/b')).file?.id ?? '' });
    await pair.sync({ mode: 'pull', deletes: false });
    expect(await pair.here()).toMatchObject({ a: 'a', 'd/b': 'd/b', own: 'only here' });
    await pair.sync({ mode: 'pull', deletes: true });
    const here = await pair.here();
    expect(here).not.toHaveProperty('d/b');
    expect(Object.values(here)).toEqual(expect.arrayContaining(['changed here', 'only here', 'a', 'd/c']));
    expect(await pair.there()).toEqual({ a: 'a', d: '', 'd/c': 'd/c' });
  });
});

describe('the command', () => {
  it('says what it does, changes nothing in a dry run, and keeps its state to itself', async () => {
    const pair = await scene.pair();
    const remote = `Work:/${pair.folder.name}`;
    await pair.write('in/a.txt', 'text');
    const run = async (...argv: string[]) => await scene.home.run(SyncCommand, argv);
    const dry = await run(pair.root, remote, '--dry-run', '--json');
    expect(dry.json()).toMatchObject({
      actions: [
        { action: 'make-remote', path: 'in' },
        { action: 'upload', path: 'in/a.txt' },
      ],
    });
    expect(await pair.there()).toEqual({});
    expect((await run(pair.root, remote, '--both')).stdout).toContain('sent          in/a.txt\n1 file, 2 changes.');
    expect((await run(pair.root, remote, '--both')).stdout).toBe('Nothing to do: 1 file.\n');
    const to = join(scene.home.folder, 'pulled');
    expect((await run(remote, to)).code).toBe(0);
    expect(await readFile(join(to, 'in', 'a.txt'), 'utf8')).toBe('text');
    for (const wrong of [
      [to, to],
      [remote, remote],
      [to, `${remote}/in/a.txt`],
      [join(to, 'nothing'), remote],
    ])
      expect((await run(...wrong)).code, wrong.join(' ')).toBe(2);
    const folder = join(scene.home.folder, '.local', 'state', 'conclave', 'sync');
    expect((await stat(folder)).mode & 0o077).toBe(0);
    await mkdir(join(to, 'in', 'b'));
  });

  it(
    'removes what the other side does not have when it is told to, and neither in a dry run nor what is excluded',
    { tags: 'soak' },
    async () => {
      const pair = await scene.pair();
      const remote = `Work:/${pair.folder.name}`;
      const run = async (...argv: string[]) => await scene.home.run(SyncCommand, argv);
      const flags = ['--exclude', '*.tmp', '--exclude', '/build/'];
      for (const path of ['a.txt', 'in/b.txt', 'in/c.txt', 'x.tmp', 'build/out.o', 'in/build/d.txt'])
        await pair.write(path, path);
      expect((await run(pair.root, remote, ...flags)).code).toBe(0);
      const sent = {
        'a.txt': 'a.txt',
        in: '',
        'in/b.txt': 'in/b.txt',
        'in/c.txt': 'in/c.txt',
        'in/build': '',
        'in/build/d.txt': 'in/build/d.txt',
      };
      expect(await pair.there()).toEqual(sent);
      // What is excluded is left alone at the other side as well.
      await pair.store('y.tmp', 'of somebody');
      await pair.makeThere('build');
      await pair.store('build/theirs', 'of somebody');
      await pair.store('extra', 'extra');
      const excluded = { 'y.tmp': 'of somebody', build: '', 'build/theirs': 'of somebody' };
      for (const path of ['a.txt', 'in/c.txt', 'in/build']) await removeHere(pair, path);
      // Without --delete everything stays.
      const kept = await run(pair.root, remote, ...flags);
      expect([kept.code, kept.stdout]).toEqual([0, expect.stringContaining('Nothing to do')]);
      expect(await pair.there()).toEqual({ ...sent, ...excluded, extra: 'extra' });
      const wanted = ['a.txt', 'extra', 'in/build', 'in/build/d.txt', 'in/c.txt'];
      const dry = await run(pair.root, remote, ...flags, '--delete', '--dry-run', '--json');
      expect([dry.code, dry.json().failed]).toEqual([0, []]);
      expect(
        dry
          .json()
          .actions.map(({ path }: { path: string }) => path)
          .toSorted(),
      ).toEqual(wanted);
      expect(await pair.there()).toEqual({ ...sent, ...excluded, extra: 'extra' });
      const done = await run(pair.root, remote, ...flags, '--delete', '--json');
      // With a folder that goes as a whole goes what is in it.
      const gone = done.json().actions.map(({ path }: { path: string }) => path);
      expect(gone.toSorted()).toEqual(wanted.filter((path) => !path.startsWith('in/build/')));
      const left = { in: '', 'in/b.txt': 'in/b.txt' };
      expect(await pair.there()).toEqual({ ...left, ...excluded });
      expect((await run(pair.root, remote, ...flags, '--delete')).stdout).toContain('Nothing to do');

      // The other way round it is this machine from which something goes: what was synchronised and is unchanged.
      await pair.write('z.tmp', 'mine');
      await pair.write('mine', 'mine');
      await pair.store('new', 'new');
      await perform(scene.client, filevault.removeFile, { id: (await pair.at('in/b.txt')).file?.id ?? '' });
      const here = await pair.here();
      const wouldGo = await run(remote, pair.root, ...flags, '--delete', '--dry-run', '--json');
      expect(wouldGo.json().actions).toEqual([
        { action: 'download', path: 'new' },
        { action: 'remove-local', path: 'in/b.txt' },
      ]);
      expect(await pair.here()).toEqual(here);
      expect((await run(remote, pair.root, ...flags)).code).toBe(0);
      expect(await pair.here()).toEqual({ ...here, new: 'new' });
      expect((await run(remote, pair.root, ...flags, '--delete')).code).toBe(0);
      const { 'in/b.txt': _, ...stays } = here;
      expect(await pair.here()).toEqual({ ...stays, new: 'new' });
      expect((await run(pair.root, remote, '--both', '--delete')).code).toBe(2);
    },
  );
});
