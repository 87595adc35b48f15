import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Backup from '../../commands/admin/store/backup.ts';
import Restore from '../../commands/admin/store/restore.ts';
import VerifyStore from '../../commands/admin/store/verify.ts';
import Cat from '../../commands/files/cat.ts';
import CreateContainer from '../../commands/files/create.ts';
import DestroyFile from '../../commands/files/destroy.ts';
import Ls from '../../commands/files/ls.ts';
import Put from '../../commands/files/put.ts';
import Head from '../../commands/ledger/head.ts';
import Login from '../../commands/login.ts';
import Save from '../../commands/mail/attachments/save.ts';
import Inbox from '../../commands/mail/inbox.ts';
import ReadMail from '../../commands/mail/read.ts';
import Send from '../../commands/mail/send.ts';
import Contribute from '../../commands/quorum/contribute.ts';
import Seal from '../../commands/quorum/seal.ts';
import Unseal from '../../commands/quorum/unseal.ts';
import Post from '../../commands/social/post.ts';
import Notifications from '../../commands/social/notifications.ts';
import Thread from '../../commands/social/thread.ts';
import Status from '../../commands/status.ts';
import Add from '../../commands/vault/add.ts';
import CreateVault from '../../commands/vault/create.ts';
import Get from '../../commands/vault/get.ts';
import { eventually } from '../support/eventually.ts';
import { inStage, soak } from '../support/stage.ts';
import { temporaryFolder } from '../support/stores.ts';
import { gif } from '../services/filevault/pictures.ts';
import { openHome, type Home } from './home.ts';
import { openQuorumHome, type QuorumHome } from './quorum/quorum-home.ts';
import type { Run, RunOptions } from './run-command.ts';

const master = { CONCLAVE_MASTER_PASSWORD: 'twelve green bottles hanging' };
const passphrase = { CONCLAVE_PASSPHRASE: 'one two three four' };
const domain = { CONCLAVE_MAIL_DOMAIN: 'home.example' };
const large = 'large '.repeat(50_000);

/** A member makes one thing of each kind, a backup is written while the server runs, and another machine gets it. */
describe('a backup with secrets, on a machine that has nothing', () => {
  let quorum: QuorumHome;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let backup: string;
  let made: { readonly mail: string; readonly post: string; readonly document: string; readonly picture: Buffer };

  const must = (run: Run): Run => {
    expect(run, run.stderr).toMatchObject({ code: 0 });
    return run;
  };

  beforeAll(async () => {
    folder = await temporaryFolder();
    quorum = await openQuorumHome('socket', ['ada', 'bob'], { serveEnv: domain });
    const { home } = quorum;
    const ada = async (command: Parameters<Home['run']>[0], argv: readonly string[] = [], options: RunOptions = {}) =>
      must(await home.run(command, argv, { ...options, env: { ...quorum.as('ada').env, ...options.env } }));
    await ada(CreateVault, ['Work'], { env: master });
    await ada(Add, ['Work/Site', 'username=me', 'password[file]=-'], { env: master, stdin: 'hunter2' });
    await ada(CreateContainer, ['Box']);
    for (const [name, text] of [
      ['small.txt', 'small'],
      ['large.txt', large],
      ['gone.txt', 'to be destroyed'],
    ] as const)
      await ada(Put, [await home.file(name, text), `Box:/${name}`]);
    const picture = Buffer.from(gif(16, 8, () => true));
    const pictureFile = join(home.folder, 'tulips.gif');
    await writeFile(pictureFile, picture);
    const sending = ['--to', 'bob@home.example', '--subject', 'Hello', '--attach', join(home.folder, 'large.txt')];
    await ada(Send, sending, { stdin: 'Text.' });
    const post = (await ada(Post, ['Look @bob', '--media', pictureFile, '--json'])).json();
    const sealed = await ada(Seal, [await home.file('plan.json', '{"plan":"noon"}'), '--json']);
    const bob = async (command: Parameters<Home['run']>[0], argv: readonly string[]) =>
      must(await home.run(command, argv, { env: quorum.as('bob').env }));
    const mail = await eventually(async () => {
      const [first] = (await bob(Inbox, ['--json'])).json().emails;
      expect(first).toBeDefined();
      return first.id as string;
    });
    made = { mail, post: post['_id'], document: sealed.json().documentId, picture };
    backup = join(folder.path, '2026-11-29.backup');
    const said = must(await home.operate(Backup, [backup, '--with-secrets'], { env: passphrase }));
    expect(said.stdout).toContain('The erasure keys are in erasure.keys.backup beside it.');
    expect((await stat(join(folder.path, 'erasure.keys.backup'))).mode & 0o777).toBe(0o600);
    await copyFile(join(home.dataDir, 'erasure.keys'), join(folder.path, 'stale.keys'));
    await ada(DestroyFile, ['Box:/gone.txt', '--yes']);
  });
  afterAll(async () => {
    await quorum[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  /** A server on a data directory that a restore made. */
  async function restored(
    argv: readonly string[],
    file = backup,
  ): Promise<{ home: Home; said: Run } & AsyncDisposable> {
    let said: Run | undefined;
    const other = await openHome('process', { initialised: false });
    const home = await openHome('socket', {
      serveEnv: domain,
      async make(dataDir) {
        said = must(await other.run(Restore, [file, '--data-dir', dataDir, ...argv], { env: passphrase }));
      },
    });
    return {
      home,
      said: said!,
      async [Symbol.asyncDispose]() {
        await home[Symbol.asyncDispose]();
        await other[Symbol.asyncDispose]();
      },
    };
  }

  async function signedIn(home: Home, name: string) {
    const env = { XDG_CONFIG_HOME: join(home.folder, name) };
    must(await home.run(Login, [name], { env: { ...env, CONCLAVE_PASSWORD: `the long secret of ${name}` } }));
    return async (command: Parameters<Home['run']>[0], argv: readonly string[] = [], options: RunOptions = {}) =>
      await home.run(command, argv, { ...options, env: { ...env, ...options.env } });
  }

  it('brings back everything of every service, and each thing opens', async () => {
    await using place = await restored([]);
    const { home, said } = place;
    expect(said.stdout).toMatch(/Node secret\tfrom the backup\nErasure keys\tfrom the backup\n/);
    const checked = must(await home.operate(VerifyStore, ['--json'])).json();
    expect(checked).toMatchObject({ ok: true });
    expect(checked.checks).toContainEqual(expect.objectContaining({ name: 'erasure keys', ok: true }));
    const [ada, bob] = [await signedIn(home, 'ada'), await signedIn(home, 'bob')];
    expect(must(await ada(Get, ['Work/Site', '--field', 'password'], { env: master })).stdout).toContain('hunter2');
    expect(must(await ada(Cat, ['Box:/small.txt'])).stdout).toBe('small');
    expect(must(await ada(Cat, ['Box:/large.txt'])).stdout).toBe(large);
    // The backup is from before, and has its keys; so the destroyed file is there again, as the guide says.
    expect(must(await ada(Cat, ['Box:/gone.txt'])).stdout).toBe('to be destroyed');
    expect(must(await bob(ReadMail, [made.mail])).stdout).toContain('Text.');
    must(await bob(Save, [made.mail, '--all', '--dir', home.folder]));
    expect(await readFile(join(home.folder, 'large.txt'), 'utf8')).toBe(large);
    const post = must(await bob(Thread, [made.post, '--json'])).json();
    expect(JSON.stringify(post)).toContain('Look @bob');
    expect(must(await bob(Notifications, [])).stdout).toContain('ada');
    expect(must(await ada(Head, [])).stdout).not.toBe('');
    const out = join(home.folder, 'plan.json');
    const opening = ada(Unseal, [made.document, '--out', out, '--reason', 'A drill']);
    for (const [name, run] of [
      ['ada', ada],
      ['bob', bob],
    ] as const)
      await eventually(async () => must(await run(Contribute, ['--mnemonic-file', quorum.phrases[name]!, '--yes'])));
    must(await opening);
    expect(JSON.parse(await readFile(out, 'utf8'))).toEqual({ plan: 'noon' });
  });

  it('is checked without a store, with the passphrase or without', async () => {
    await using other = await openHome('process', { initialised: false });
    const checksOf = async (file: string, env: NodeJS.ProcessEnv = {}) => {
      const run = await other.run(VerifyStore, [file, '--json'], { env });
      return [run.code, run.json().checks.map((one: { name: string; detail: string }) => `${one.name}: ${one.detail}`)];
    };
    const encrypted = 'encrypted; not opened without a passphrase';
    const whole = expect.stringMatching(/^backup: of 2/) as unknown;
    expect(await checksOf(backup)).toEqual([0, [whole, `node secret: ${encrypted}`, `erasure keys: ${encrypted}`]]);
    const opened = 'opened with the passphrase';
    expect(await checksOf(backup, passphrase)).toEqual([
      0,
      [whole, `node secret: ${opened}`, `erasure keys: ${opened}`],
    ]);
    const wrong = 'Wrong passphrase: it does not open the';
    expect(await checksOf(backup, { CONCLAVE_PASSPHRASE: 'another one' })).toEqual([
      1,
      [whole, expect.stringContaining(`node secret: ${wrong}`), expect.stringContaining(`erasure keys: ${wrong}`)],
    ]);
    const alone = join(other.folder, 'alone.backup');
    await copyFile(backup, alone);
    expect(await checksOf(alone, passphrase)).toEqual([
      1,
      [whole, `node secret: ${opened}`, expect.stringMatching(/^erasure keys: not in .*erasure\.keys\.backup/)],
    ]);
    expect(await other.run(VerifyStore, [join(other.folder, 'none')])).toMatchObject({ code: 6 });
  });

  it('opens nothing that was destroyed before the next backup, of which the keys are', async () => {
    const later = join(folder.path, '2026-11-30.backup');
    must(await quorum.home.operate(Backup, [later, '--with-secrets'], { env: passphrase }));
    await using place = await restored([]);
    const ada = await signedIn(place.home, 'ada');
    expect(must(await ada(Cat, ['Box:/small.txt'])).stdout).toBe('small');
    expect(await ada(Cat, ['Box:/gone.txt'])).toMatchObject({ code: 6, stderr: expect.stringContaining('destroyed') });
  });

  it('is refused without the keys, and says how to go on', async () => {
    await using elsewhere = await temporaryFolder();
    await using other = await openHome('process', { initialised: false });
    const alone = join(elsewhere.path, 'alone.backup');
    await copyFile(backup, alone);
    const into = ['--data-dir', join(elsewhere.path, 'data')];
    const restore = async (...argv: string[]) =>
      await other.run(Restore, [alone, ...into, ...argv], { env: passphrase });
    const refused = await restore();
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/no file of the file vault can be opened[^]*--erasure-keys[^]*--without-files/);
    await expect(stat(join(elsewhere.path, 'data', 'store.db'))).rejects.toThrow('ENOENT');
    const nowhere = await restore('--erasure-keys', join(elsewhere.path, 'none'));
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file') });

    await copyFile(join(quorum.home.dataDir, 'erasure.keys'), join(elsewhere.path, 'kept.keys'));
    await using place = await restored(['--erasure-keys', join(elsewhere.path, 'kept.keys')], alone);
    expect(must(await (await signedIn(place.home, 'ada'))(Cat, ['Box:/small.txt'])).stdout).toBe('small');
  });

  it('goes on without the files if it is told to: they are named, and can be removed, and others stored', async () => {
    await using elsewhere = await temporaryFolder();
    const alone = join(elsewhere.path, 'alone.backup');
    await copyFile(backup, alone);
    await using other = await openHome('process', { initialised: false });
    const needless = ['--data-dir', join(elsewhere.path, 'data'), '--without-files'];
    const refusedNeedless = await other.run(Restore, [backup, ...needless], { env: passphrase });
    expect(refusedNeedless).toMatchObject({ code: 2, stderr: expect.stringContaining('Leave out --without-files.') });
    await using place = await restored(['--without-files'], alone);
    const { home, said } = place;
    expect(said.stdout).toContain('Erasure keys\tlost');
    const ada = await signedIn(home, 'ada');
    expect(must(await ada(Ls, ['Box:/'])).stdout).toContain('small.txt');
    const lost = await ada(Cat, ['Box:/small.txt']);
    expect(lost).toMatchObject({ code: 6, stdout: '' });
    expect(lost.stderr).toContain('The keys of this file were lost');
    const checked = await home.operate(VerifyStore, ['--json']);
    expect(checked.code).toBe(1);
    const keys = { name: 'erasure keys', ok: false, detail: expect.stringContaining('The keys of 3 files') };
    expect(checked.json().checks).toContainEqual(keys);
    expect((await home.operate(Status, [])).stdout).toContain('The keys of 3 files of the file vault were lost.');

    for (const name of ['small.txt', 'large.txt', 'gone.txt']) must(await ada(DestroyFile, [`Box:/${name}`, '--yes']));
    must(await ada(Put, [await home.file('new.txt', 'new'), 'Box:/new.txt']));
    expect(must(await ada(Cat, ['Box:/new.txt'])).stdout).toBe('new');
    expect(must(await home.operate(VerifyStore, ['--json'])).json()).toMatchObject({ ok: true });
    // The folder of the backups has keys that older backups need.
    const kept = join(folder.path, 'other.backup');
    const refused = await home.operate(Backup, [kept, '--with-secrets'], { env: passphrase });
    expect(refused).toMatchObject({ code: 7, stderr: expect.stringContaining('erasure keys of another store') });
    await expect(stat(kept)).rejects.toThrow('ENOENT');
  });

  it(
    'keeps the keys that are in place, but for those that are behind, and those of another store only with --force',
    { tags: soak },
    async () => {
      await using place = await restored([]);
      const { home } = place;
      const own = join(quorum.home.dataDir, 'erasure.keys');
      const data = join(home.folder, 'again');
      const restore = async (...argv: string[]) =>
        await home.run(Restore, [backup, '--data-dir', data, ...argv], { env: passphrase });
      must(await restore());
      expect(must(await restore('--force')).stdout).toContain('Erasure keys\tas they were');

      await writeFile(join(data, 'erasure.keys'), await readFile(own));
      await rm(join(data, 'store.db'));
      expect(must(await restore()).stdout).toContain('Erasure keys\tas they were');

      await using another = await openQuorumHome('socket', []);
      const run = another.run;
      must(await run('root', CreateContainer, ['Box']));
      must(await run('root', Put, [await another.home.file('a.txt', 'a'), 'Box:/a.txt']));
      const foreign = await readFile(join(another.home.dataDir, 'erasure.keys'));
      await writeFile(join(data, 'erasure.keys'), foreign);
      await rm(join(data, 'store.db'));
      expect(await restore()).toMatchObject({ code: 7, stderr: expect.stringContaining('keys of another store') });
      const forced = must(await restore('--force', '--json')).json();
      expect(forced).toMatchObject({ erasureKeys: 'restored' });
      expect((await readFile(forced.movedErasureKeys)).equals(foreign)).toBe(true);
      // And once more: the same file goes to the same place.
      await writeFile(join(data, 'erasure.keys'), foreign);
      expect(must(await restore('--force', '--json')).json()).toMatchObject({
        movedErasureKeys: forced.movedErasureKeys,
      });
    },
  );

  const places = [
    ['in the data directory', {}],
    ['elsewhere', { CONCLAVE_FILES_ERASURE_KEYS_FILE: 'other.keys' }],
  ] as const;
  it.each(places.slice(0, inStage(1, 1, 2)))('replaces keys that are behind, %s', async (_, place) => {
    await using elsewhere = await temporaryFolder();
    await using other = await openHome('process', { initialised: false });
    const [stale, newest] = [join(folder.path, 'stale.keys'), join(elsewhere.path, 'newest.backup')];
    must(await quorum.home.operate(Backup, [newest, '--with-secrets'], { env: passphrase }));
    const data = join(elsewhere.path, 'data');
    await mkdir(data, { mode: 0o700 });
    const named = Object.entries(place).map(([key, name]) => [key, join(elsewhere.path, name)] as const);
    const keys = named[0]?.[1] ?? join(data, 'erasure.keys');
    await copyFile(stale, keys);
    const env = { ...passphrase, ...Object.fromEntries(named) };
    const report = must(await other.run(Restore, [newest, '--data-dir', data, '--json'], { env })).json();
    expect(report).toMatchObject({ erasureKeys: 'restored' });
    const own = await readFile(join(quorum.home.dataDir, 'erasure.keys'));
    expect((await readFile(keys)).equals(own)).toBe(true);
  });
});
