import { cp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { perform } from '../../../src/client/perform.ts';
import type { Client } from '../../../src/client/client.ts';
import { directoryOf } from '../../../src/cli/mail/files/maildir-folders.ts';
import { pathOf, scanMaildir } from '../../../src/cli/mail/sync/scan.ts';
import { syncMaildir } from '../../../src/cli/mail/sync/sync-maildir.ts';
import { changesSince } from '../../../src/cli/mail/transfer/changes.ts';
import { mail } from '../../../src/contract/mail.ts';
import { Problem } from '../../../src/base/problem.ts';
import { openMailHome, plainMessage, type MailHome } from './mail-home.ts';
import {
  addAtServer,
  leftovers,
  makeFolders,
  pictureOfMaildir,
  pictureOfServer,
  removeAllAtServer,
} from './sync-scene.ts';

const folder = fc.constantFrom('inbox', 'sent', 'drafts', 'archive', 'spam', 'trash');
const flags = fc.subarray(['F', 'P', 'R', 'S']).map((letters) => letters.join(''));
const which = fc.nat({ max: 20 });
const label = fc.constantFrom('A', 'B.c');

const operation = fc.oneof(
  fc.record({ at: fc.constant('server' as const), does: fc.constant('add' as const), folder, flags }),
  fc.record({ at: fc.constant('server' as const), does: fc.constant('remove' as const), which }),
  fc.record({ at: fc.constant('server' as const), does: fc.constant('move' as const), which, folder }),
  fc.record({ at: fc.constant('server' as const), does: fc.constant('read' as const), which, read: fc.boolean() }),
  fc.record({
    at: fc.constant('server' as const),
    does: fc.constant('label' as const),
    which,
    label,
    on: fc.boolean(),
  }),
  fc.record({ at: fc.constant('here' as const), does: fc.constant('add' as const), folder, flags }),
  fc.record({ at: fc.constant('here' as const), does: fc.constant('remove' as const), which }),
  fc.record({
    at: fc.constant('here' as const),
    does: fc.constant('move' as const),
    which,
    folder,
    renames: fc.boolean(),
  }),
  fc.record({ at: fc.constant('here' as const), does: fc.constant('flags' as const), which, flags }),
  fc.record({
    at: fc.constant('here' as const),
    does: fc.constant('label' as const),
    which,
    label,
    moves: fc.boolean(),
  }),
  fc.record({ at: fc.constant('here' as const), does: fc.constant('sync' as const), steps: fc.nat({ max: 30 }) }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** What stands for a process that was killed. */
class Killed extends Error {}

describe('a Maildir and the mailbox, whatever happens', () => {
  let home: MailHome;
  let client: Client;
  let count = 0;
  beforeAll(async () => {
    home = await openMailHome();
    client = await home.client();
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });

  const sync = async (root: string, step?: () => void) => {
    const { failed } = await syncMaildir(client, root, { report: () => {}, ...(step && { step }) });
    expect(failed).toEqual([]);
  };

  /** A process that is killed after some steps, unless it has fewer. @returns whether it was */
  const killedSync = async (root: string, steps: number): Promise<boolean> => {
    let left = steps;
    try {
      await sync(root, () => {
        left -= 1;
        if (left < 0) throw new Killed('killed');
      });
      return false;
    } catch (error) {
      if (error instanceof Killed) return true;
      throw error;
    }
  };

  const atServer = async (one: Operation & { at: 'server' }) => {
    if (one.does === 'add') {
      await addAtServer(client, (count += 1), one.folder, one.flags);
      return;
    }
    const all = [...(await changesSince(client, 0)).changed.keys()].toSorted();
    const messageId = all[one.which % Math.max(1, all.length)];
    if (messageId === undefined) return;
    if (one.does === 'remove') {
      await perform(client, mail.removeMessage, { messageId });
      return;
    }
    const change = {
      ...(one.does === 'move' && { folder: one.folder }),
      ...(one.does === 'read' && { read: one.read }),
      ...(one.does === 'label' && { [one.on ? 'addLabels' : 'removeLabels']: [one.label] }),
    };
    await perform(client, mail.changeMessage, { messageId, ...change }).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'EMAIL_FOLDER_REFUSED') throw error;
    });
  };

  const here = async (root: string, one: Operation & { at: 'here' }) => {
    if (one.does === 'sync') {
      await killedSync(root, one.steps);
      return;
    }
    if (one.does === 'add') {
      const directory = directoryOf({ folder: one.folder });
      await makeFolders(root, directory);
      const number = (count += 1);
      return await writeFile(join(root, directory, 'cur', `${number}.host:2,${one.flags}`), plainMessage(number));
    }
    const files = await scanMaildir(root);
    const file = files[one.which % Math.max(1, files.length)];
    if (file === undefined) return;
    const path = pathOf(root, file);
    if (one.does === 'remove') return await rm(path);
    if (one.does === 'flags')
      return await rename(path, join(root, file.directory, 'cur', `${file.base}:2,${one.flags}`));
    const directory = one.does === 'move' ? directoryOf({ folder: one.folder }) : directoryOf({ label: one.label });
    await makeFolders(root, directory);
    const fresh = one.does === 'move' ? one.renames : !one.moves;
    const target = join(root, directory, 'cur', `${fresh ? `n${(count += 1)}` : file.base}:2,${file.flags}`);
    if (one.does === 'label' && !one.moves) await cp(path, target);
    else await rename(path, target);
  };

  it('become equal after any changes on both sides', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 40 }), async (operations) => {
        await removeAllAtServer(client);
        const root = join(home.folder, `any-${(count += 1)}`);
        for (const one of operations) await (one.at === 'server' ? atServer(one) : here(root, one));
        await sync(root);
        await sync(root);
        expect(await pictureOfMaildir(root)).toEqual(await pictureOfServer(client));
        expect(await leftovers(root)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('stay one message when it came with a copy below a label, wherever a process is killed', async () => {
    for (let at = 0, isOver = false; !isOver; at += 1) {
      await removeAllAtServer(client);
      const root = join(home.folder, `copied-${(count += 1)}`);
      await makeFolders(root, '', '.Sent', '.Labels.A');
      for (const [directory, number] of [
        ['', 1],
        ['.Sent', 2],
      ] as const) {
        const [path, copy] = [
          join(root, directory, 'cur', `${number}:2,`),
          join(root, '.Labels.A', 'cur', `copy-${number}:2,`),
        ];
        await writeFile(path, plainMessage(number));
        await cp(path, copy);
        await rename(path, `${path}S`);
      }
      isOver = !(await killedSync(root, at));
      await sync(root);
      await sync(root);
      const picture = { '': ['1:S'], '.Labels.A': ['1:S', '2:S'], '.Sent': ['2:S'] };
      expect(await pictureOfServer(client), `killed before step ${at + 1}`).toEqual(picture);
      expect(await pictureOfMaildir(root), `killed before step ${at + 1}`).toEqual(picture);
    }
  });

  it('lose and double nothing, wherever a process is killed', async () => {
    let kills = 0;
    for (let at = 0, isOver = false; !isOver; at += 1) {
      await removeAllAtServer(client);
      const root = join(home.folder, `kill-${(count += 1)}`);
      const ids: string[] = [];
      for (let number = 1; number <= 5; number += 1) ids.push(await addAtServer(client, number));
      ids.push(await addAtServer(client, 6, 'drafts'), await addAtServer(client, 7, 'trash'));
      await sync(root);
      const [one = '', two = '', three = ''] = ids;
      await perform(client, mail.changeMessage, { messageId: one, folder: 'archive', addLabels: ['L'], read: true });
      await perform(client, mail.removeMessage, { messageId: two });
      await perform(client, mail.changeMessage, { messageId: three, addKeywords: ['$flagged'] });
      await perform(client, mail.changeMessage, { messageId: await addAtServer(client, 8), addLabels: ['L', 'M'] });
      for (const file of await scanMaildir(root)) {
        const path = pathOf(root, file);
        if (file.directory === '.Trash' || path.includes(ids[3] ?? '')) await rm(path);
        if (path.includes(ids[4] ?? '')) await rename(path, join(root, '.Archive', 'cur', `${file.base}:2,S`));
        if (file.directory === '.Drafts') await rename(path, join(root, 'cur', `moved:2,`));
      }
      await makeFolders(root, '.Labels.L');
      await writeFile(join(root, 'new', '9'), plainMessage(9));
      await writeFile(join(root, '.Labels.L', 'new', '10'), plainMessage(10));
      const killed = await killedSync(root, at);
      isOver = !killed;
      kills += killed ? 1 : 0;
      await sync(root);
      const picture = {
        '': ['3:F', '6:', '8:', '9:'],
        '.Archive': ['10:', '1:S', '5:S'],
        '.Labels.L': ['10:', '1:S', '8:'],
        '.Labels.M': ['8:'],
        '.Trash': ['4:'],
      };
      expect(await pictureOfMaildir(root), `killed before step ${at + 1}`).toEqual(picture);
      expect(await pictureOfServer(client), `killed before step ${at + 1}`).toEqual(picture);
      expect(await leftovers(root)).toEqual([]);
    }
    expect(kills).toBeGreaterThan(20);
  });
});
