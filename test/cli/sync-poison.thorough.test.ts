import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import MailSync from '../../commands/mail/sync.ts';
import FilesSync from '../../commands/files/sync.ts';
import { openSyncScene } from './files-sync-scene.ts';
import { plainMessage } from './mail/mail-home.ts';
import { addAtServer, openSyncHome, pictureOfServer } from './mail/sync-scene.ts';

describe('one item that always fails', () => {
  it('of a Maildir: the others are synchronised, nothing counts as removed, and the exit code says it', async () => {
    await using synced = await openSyncHome();
    const { home, client } = synced;
    const root = await synced.fresh();
    await addAtServer(client, 1);
    await synced.sync(root);
    // A folder where a file should be can't be read, whoever asks.
    await mkdir(join(root, 'cur', '1.bad.host:2,S'));
    // The server takes no message of nothing.
    await writeFile(join(root, 'cur', '2.empty.host:2,S'), '');
    await writeFile(join(root, 'cur', '3.good.host:2,S'), plainMessage(3));
    await addAtServer(client, 4);
    for (let run = 0; run < 2; run += 1) {
      const { code, stdout } = await home.run(MailSync, [root, '--json']);
      const { failed, messages } = JSON.parse(stdout) as { failed: { source: string }[]; messages: number };
      expect(failed.map(({ source }) => source).toSorted()).toEqual([
        join(root, 'cur', '1.bad.host:2,S'),
        join(root, 'cur', '2.empty.host:2,S'),
      ]);
      expect([code, messages]).toEqual([1, 3]);
      expect(Object.values(await pictureOfServer(client)).flat()).toHaveLength(3);
    }
  });

  it('of a folder of files: the others are synchronised, and the exit code says it', async () => {
    await using scene = await openSyncScene();
    const pair = await scene.pair();
    await pair.write('a-bad\u0001name.txt', 'refused');
    await pair.write('good.txt', 'sent');
    await pair.store('from-there.txt', 'received');
    for (let run = 0; run < 2; run += 1) {
      const { code, stdout } = await scene.home.run(FilesSync, [
        pair.root,
        `Work:/${pair.folder.name}`,
        '--both',
        '--json',
      ]);
      const { failed } = JSON.parse(stdout) as { failed: { path: string; code: string }[] };
      expect(failed).toMatchObject([{ path: 'a-bad\u0001name.txt', code: 'VALIDATION_ERROR' }]);
      expect(code).toBe(2);
      expect(await pair.there()).toEqual({ 'good.txt': 'sent', 'from-there.txt': 'received' });
      expect(await pair.here()).toMatchObject({ 'from-there.txt': 'received' });
    }
  });
});
