import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { perform } from '../../../src/client/perform.ts';
import type { Client } from '../../../src/client/client.ts';
import { directoryOf } from '../../../src/cli/mail/files/maildir-folders.ts';
import { importMessage } from '../../../src/cli/mail/import/import-mail.ts';
import { stateOfFlags } from '../../../src/cli/mail/files/maildir.ts';
import { stateAtServer } from '../../../src/cli/mail/sync/merge.ts';
import { pathOf, scanMaildir, type LocalFile } from '../../../src/cli/mail/sync/scan.ts';
import { changesSince } from '../../../src/cli/mail/transfer/changes.ts';
import { mail } from '../../../src/contract/mail.ts';
import type { Folder } from '../../../src/contract/mail/limits.ts';
import SyncCommand from '../../../commands/mail/sync.ts';
import { openMailHome, plainMessage, type MailHome } from './mail-home.ts';

/** A mailbox, and Maildirs beside it. */
export interface SyncHome extends AsyncDisposable {
  readonly home: MailHome;
  readonly client: Client;
  /** Empties the mailbox. @returns the path of a Maildir that is not there yet */
  fresh(): Promise<string>;
  /** `conclave mail sync`, which has to succeed */
  sync(root: string): Promise<void>;
}

export async function openSyncHome(): Promise<SyncHome> {
  const home = await openMailHome();
  const client = await home.client();
  let count = 0;
  return {
    home,
    client,
    async fresh() {
      await removeAllAtServer(client);
      return join(home.folder, `mail-${(count += 1)}`);
    },
    async sync(root) {
      const run = await home.run(SyncCommand, [root, '--json']);
      expect(run.stdout).toContain('"failed": []');
      expect(run).toMatchObject({ code: 0 });
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** What stands in each folder and below each label: number of the message and flags. */
export type Picture = Readonly<Record<string, readonly string[]>>;

export async function addAtServer(
  client: Client,
  number: number,
  folder: Folder = 'inbox',
  flags = '',
): Promise<string> {
  const octets = Buffer.from(plainMessage(number).replaceAll('\n', '\r\n'));
  const given = { folder, state: stateOfFlags(flags), receivedAt: 1_700_000_000_000, unlessPresent: false };
  const { id } = await importMessage(client, {
    ...given,
    async *pieces() {
      yield octets;
    },
  });
  return id;
}

export async function pictureOfServer(client: Client): Promise<Picture> {
  const picture: Record<string, string[]> = {};
  for (const message of (await changesSince(client, 0)).changed.values()) {
    const { folder, labels, flags } = stateAtServer(message);
    const places = [directoryOf({ folder }), ...labels.map((label) => directoryOf({ label }))];
    for (const place of places) (picture[place] ??= []).push(`${message.messageId.split('@')[0]}:${flags}`);
  }
  return sorted(picture);
}

export async function pictureOfMaildir(root: string): Promise<Picture> {
  const picture: Record<string, string[]> = {};
  for (const file of await scanMaildir(root)) {
    const flags = file.flags.replaceAll(/[^FPRS]/g, '');
    (picture[file.directory] ??= []).push(`${await numberOf(root, file)}:${flags}`);
  }
  return sorted(picture);
}

export async function numberOf(root: string, file: LocalFile): Promise<string> {
  return /^Message-ID: <(\d+)@/m.exec(await readFile(pathOf(root, file), 'utf8'))?.[1] ?? '?';
}

/** Names of files that are in no folder of messages. */
export async function leftovers(root: string): Promise<string[]> {
  return (await readdir(join(root, 'tmp'))).filter((name) => !name.startsWith('store.lock'));
}

export async function removeAllAtServer(client: Client): Promise<void> {
  for (const id of (await changesSince(client, 0)).changed.keys())
    await perform(client, mail.removeMessage, { messageId: id });
}

export async function makeFolders(root: string, ...directories: readonly string[]): Promise<void> {
  for (const directory of directories)
    for (const part of ['cur', 'new', 'tmp']) await mkdir(join(root, directory, part), { recursive: true });
}

function sorted(picture: Record<string, string[]>): Picture {
  return Object.fromEntries(
    Object.entries(picture)
      .map(([place, all]) => [place, all.toSorted()] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
