import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Files from '../../commands/files.ts';
import Acl from '../../commands/files/acl.ts';
import Approval from '../../commands/files/approval.ts';
import Request from '../../commands/files/approval/request.ts';
import Audit from '../../commands/files/audit.ts';
import Canary from '../../commands/files/canary.ts';
import Add from '../../commands/files/canary/add.ts';
import Cat from '../../commands/files/cat.ts';
import Containers from '../../commands/files/containers.ts';
import Cp from '../../commands/files/cp.ts';
import Create from '../../commands/files/create.ts';
import Destroy from '../../commands/files/destroy.ts';
import Du from '../../commands/files/du.ts';
import Fsck from '../../commands/files/fsck.ts';
import Get from '../../commands/files/get.ts';
import Link from '../../commands/files/link.ts';
import Ls from '../../commands/files/ls.ts';
import Magnet from '../../commands/files/magnet.ts';
import Mkdir from '../../commands/files/mkdir.ts';
import Mv from '../../commands/files/mv.ts';
import Proof from '../../commands/files/proof.ts';
import Put from '../../commands/files/put.ts';
import Quarantine from '../../commands/files/quarantine.ts';
import Quota from '../../commands/files/quota.ts';
import Restore from '../../commands/files/restore.ts';
import Rm from '../../commands/files/rm.ts';
import Search from '../../commands/files/search.ts';
import Share from '../../commands/files/share.ts';
import Shared from '../../commands/files/shared.ts';
import Shares from '../../commands/files/shares.ts';
import Stat from '../../commands/files/stat.ts';
import Sync from '../../commands/files/sync.ts';
import Trash from '../../commands/files/trash.ts';
import Tree from '../../commands/files/tree.ts';
import Unshare from '../../commands/files/unshare.ts';
import Verify from '../../commands/files/verify.ts';
import Versions from '../../commands/files/versions.ts';
import Watermark from '../../commands/files/watermark.ts';
import Login from '../../commands/login.ts';
import { download } from '../../src/client/bodies.ts';
import { openClient } from '../../src/client/client.ts';
import { perform } from '../../src/client/perform.ts';
import { loadConfig } from '../../src/config/load.ts';
import { filevault } from '../../src/contract/filevault.ts';
import { openEngine } from '../../src/node/engine.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Db } from '../../src/platform/store/database.ts';
import { inStage } from '../support/stage.ts';
import { openHome, type Home } from './home.ts';

const password = 'seven green bottles';
/** What a terminal would take for a title, a colour, a cleared screen, and another line. */
const hostile = 'evil\u001b]0;owned\u0007\u001b[31m\u009b2J\u202egnp\r\nforged row';
let home: Home;

/** Changes rows behind the back of the service, as a server of somebody else would send them. */
async function forge(change: (db: Db) => Promise<unknown>): Promise<void> {
  const { config, secrets } = await loadConfig({ flags: {}, env: home.env });
  await using engine = await openEngine(config, secrets, { log: silentLog });
  await engine.context.store.transaction(async (db) => void (await change(db)));
}

/** Bob's sign-ins. */
const ofBob = (): NodeJS.ProcessEnv => {
  const folder = join(home.folder, 'bob');
  return { XDG_CONFIG_HOME: folder, XDG_RUNTIME_DIR: folder, CONCLAVE_PASSWORD: password };
};

const clientOf = async (env: NodeJS.ProcessEnv) =>
  await openClient({ env: { ...home.env, ...env }, userAgent: 'test', command: 'test' });

/** Puts a file there whose preview Bob sees, with an invisible watermark. @returns the path of a copy of that preview */
async function leaked(): Promise<string> {
  await home.run(Create, ['Marked']);
  await home.run(Put, [await home.file('lines.txt', 'A line of a long text.\n'.repeat(40)), 'Marked:/']);
  await home.run(Share, ['Marked:/lines.txt', 'bob']);
  const id = (await home.run(Ls, ['Marked:/', '--json'])).json().files[0].id as string;
  {
    await using ada = await clientOf({});
    await perform(ada, filevault.changeFile, { id, invisibleWatermark: true });
  }
  await using bob = await clientOf(ofBob());
  const { body } = await download(bob, filevault.previewFile, { id });
  return await home.file('leaked.txt', Buffer.concat(await Readable.from(body).toArray()).toString());
}

/** Something of Bob's that ada is shown, and something that the scanner refused. */
async function sharedAndRefused(): Promise<void> {
  const env = ofBob();
  await home.run(Create, ['Theirs'], { env });
  await home.run(Put, [await home.file('theirs.txt', 'text'), 'Theirs:/'], { env });
  await home.run(Share, ['Theirs:/theirs.txt', 'ada'], { env });
  await forge(async (db) => {
    const from = db.selectFrom('file_containers as c').innerJoin('file_contents as t', 't.container_id', 'c.id');
    const at = await from
      .select(['c.id as container_id', 't.id as content_id', 'c.owner_id as member_id'])
      .where('c.name', '=', 'Work')
      .limit(1)
      .executeTakeFirstOrThrow();
    const id = '1'.repeat(32);
    const rest = { id, file_id: id, name: hostile, found: hostile, size: 4, root: '', upload: '{}', created_at: 0 };
    await db
      .insertInto('file_quarantine')
      .values({ ...at, ...rest })
      .execute();
  });
}

beforeAll(async () => {
  home = await openHome('process');
  const env = { CONCLAVE_PASSWORD: password };
  for (const name of ['bob', 'ada'])
    await home.run(Register, ['--username', name, '--email', `${name}@example.org`], { env });
  await mkdir(join(home.folder, 'bob'), { mode: 0o700 });
  await home.run(Login, ['bob'], { env: ofBob() });
  await home.run(Login, ['ada'], { env });
  for (const name of ['Work', 'Other']) await home.run(Create, [name]);
});
afterAll(() => home[Symbol.asyncDispose]());

describe('check 34, names and texts of others', () => {
  it('neither move a terminal nor forge a line in any command that shows them', async () => {
    await home.run(Mkdir, ['Work:/folder']);
    for (const name of ['file.txt', 'gone.txt']) await home.run(Put, [await home.file(name, 'text'), 'Work:/folder/']);
    await home.run(Rm, ['Work:/folder/gone.txt']);
    await home.run(Request, ['destroy', 'Work:/folder/file.txt', '--reason', 'old']);
    const watched = ['Gone', '--absence', '48h', '--notify', 'bob', '--message', 'Look'];
    await home.run(Add, watched);
    await home.run(Share, ['Work:/folder/file.txt', 'bob']);
    const copy = await leaked();
    await sharedAndRefused();
    const before = (await home.run(Ls, ['Work:/folder', '--json'])).json();
    expect(before.files).toHaveLength(1);
    let bob = '';
    await forge(async (db) => {
      const tags = JSON.stringify([hostile]);
      const texts = { name: hostile, description: hostile, mime_type: `text/plain;${hostile}`, tags };
      await db.updateTable('file_nodes').set(texts).where('parent_id', 'is not', null).execute();
      await db.updateTable('file_containers').set({ name: hostile }).where('name', '=', 'Other').execute();
      await db.updateTable('file_approvals').set({ reason: hostile }).execute();
      await db.updateTable('file_canaries').set({ name: hostile }).execute();
      const { id } = await db
        .selectFrom('members')
        .select('id')
        .where('username', '=', 'bob')
        .executeTakeFirstOrThrow();
      bob = id;
      await db.updateTable('members').set({ username: hostile }).where('username', '=', 'bob').execute();
    });
    const [path, folder] = ['Work:/folder/file.txt', 'Work:/folder'];
    const shown = [
      [Containers],
      [Ls, folder],
      [Ls, 'Work:'],
      [Tree, 'Work:'],
      [Tree, folder],
      [Stat, path],
      [Stat, folder],
      [Search, 'file'],
      [Trash],
      [Versions, path],
      [Acl, path],
      [Approval],
      [Audit, 'Work:'],
      [Canary],
      [Shared],
      [Shares, path],
      [Shares, path, '--audit'],
      [Share, path, bob],
      [Unshare, path, bob],
      [Link, path],
      [Magnet, path],
      [Quarantine],
      [Watermark, copy],
      [Proof, path],
      [Verify, await home.file('hostile.proof', hostile)],
      [Du, 'Work:'],
      [Du, folder],
      [Quota],
      [Fsck, 'Work'],
      [Get, folder, join(home.folder, 'got')],
      [Cat, 'Work:/folder/nothing'],
      [Put, await home.file('file.txt', 'again'), 'Work:/folder/'],
      [Sync, folder, join(home.folder, 'synced'), '--dry-run'],
      [Cp, path, 'Work:/copy.txt'],
      [Mv, path, 'Work:/'],
      [Rm, 'Work:/file.txt'],
      [Restore, 'Work:/file.txt'],
      [Destroy, 'Work:/file.txt'],
      [Rm, folder],
    ] as const;
    const evil: string[] = [];
    const person = { person: [['', 'n']] as const };
    for (const [at, [command, ...args]] of shown.entries())
      for (const options of inStage([person], [person], [{}, person]))
        for (const more of at % inStage(6, 6, 1) === 0 ? [[], ['--json']] : [[]]) {
          const { stdout, stderr, behind } = await home.run(command, [...args, ...more], options);
          const all = stdout + stderr + behind;
          const where = `${command.name} ${args.join(' ')} ${more.join('')}: ${JSON.stringify(all)}`;
          for (const harmful of ['\u001b]0', '\u0007', '\u001b[31m', '\u009b', '\u202e'])
            expect(all.includes(harmful), where).toBe(false);
          expect(
            all.split(/[\r\n]/).some((one) => one.trimStart().startsWith('forged')),
            where,
          ).toBe(false);
          if (all.includes('evil')) evil.push(command.name);
        }
    expect(evil.length).toBeGreaterThan(inStage(25, 25, 80));
    const shows = ['Shared', 'Shares', 'Share', 'Unshare', 'Magnet', 'Quarantine', 'Watermark'];
    expect([...new Set(evil)]).toEqual(expect.arrayContaining(shows));
    expect(await readdir(join(home.folder, 'got'))).toHaveLength(1);
  });

  it('nor where the browser asks for another name', async () => {
    await home.run(Create, ['Browsed']);
    await home.run(Mkdir, ['Browsed:/browsed']);
    await forge(
      async (db) => await db.updateTable('file_nodes').set({ name: hostile }).where('name', '=', 'browsed').execute(),
    );
    const { code, stderr } = await home.run(Files, [], {
      person: [
        ['Files: containers', ['B', 'r', 'o', 'w', 's', 'e', 'd', '\u001b[C']],
        ['Files: Browsed:/', ['\u0012']],
        ['New name', 'plain'],
        ['Renamed to plain.', ['\u001b[D', '\u001b']],
      ],
    });
    expect(code, stderr).toBe(0);
    for (const harmful of ['\u001b]0', '\u0007', '\u001b[31m', '\u009b', '\u202e'])
      expect(stderr).not.toContain(harmful);
  });
});
