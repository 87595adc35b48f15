import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import Register from '../../commands/account/register.ts';
import Create from '../../commands/files/create.ts';
import Login from '../../commands/login.ts';
import { contentOf } from '../../src/cli/files/listing.ts';
import { excluding } from '../../src/cli/files/transfer/globs.ts';
import { plainly } from '../../src/cli/files/ciphers.ts';
import { sendFile } from '../../src/cli/files/transfer/sending.ts';
import { slots } from '../../src/cli/files/transfer/slots.ts';
import { piecesOf, sourcesOf } from '../../src/cli/files/transfer/source.ts';
import { syncFolders, type SyncOptions, type SyncOutcome } from '../../src/cli/files/sync/sync-folders.ts';
import { openClient, type Client } from '../../src/client/client.ts';
import { perform } from '../../src/client/perform.ts';
import type { FileItem, Folder } from '../../src/contract/filevault/fields.ts';
import { filevault } from '../../src/contract/filevault.ts';
import { openHome, type Home } from './home.ts';

/** A folder of this machine and one of a server. */
export interface Pair {
  readonly root: string;
  readonly folder: Folder;
  sync(options?: Partial<SyncOptions>): Promise<SyncOutcome>;
  write(path: string, text: string): Promise<void>;
  /** a new file, or a new version of one */
  store(path: string, text: string): Promise<string>;
  makeThere(path: string): Promise<Folder>;
  at(path: string): Promise<{ readonly folder: Folder; readonly file: FileItem | null }>;
  /** paths and contents; a folder has none */
  here(): Promise<Picture>;
  there(): Promise<Picture>;
}

export type Picture = Readonly<Record<string, string>>;

export interface SyncScene extends AsyncDisposable {
  readonly home: Home;
  readonly client: Client;
  pair(): Promise<Pair>;
}

export async function openSyncScene(): Promise<SyncScene> {
  const home = await openHome('socket');
  const env = { CONCLAVE_PASSWORD: 'seven green bottles' };
  await home.run(Register, ['--username', 'ada', '--email', 'ada@example.org'], { env });
  await home.run(Login, ['ada'], { env });
  await home.run(Create, ['Work', '--quota', '10GiB']);
  const client = await openClient({ env: home.env, userAgent: 'test', command: 'test' });
  const { folder: top } = await perform(client, filevault.showRoot, { limit: 1 });
  let count = 0;
  return {
    home,
    client,
    async pair() {
      const root = await mkdtemp(join(home.folder, 'sync-'));
      const input = { name: `pair-${(count += 1)}`, parentFolderId: top.id, vaultContainerId: top.vaultContainerId };
      return pairOf(home, client, root, await perform(client, filevault.createFolder, input));
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** Times that no clock gives: each content of the server has one of its own. */
let time = 1_600_000_000_000;

function pairOf(home: Home, client: Client, root: string, folder: Folder): Pair {
  const resolve = async (path: string): Promise<{ folder: Folder; file: FileItem | null }> => {
    let at: { folder: Folder; file: FileItem | null } = { folder, file: null };
    for (const name of path.split('/').filter((one) => one !== '')) {
      const { files, subfolders } = await contentOf(client, at.folder.id);
      const inner = subfolders.find((one) => one.name === name);
      at = { folder: inner ?? at.folder, file: files.find((one) => one.name === name) ?? null };
      if (inner === undefined && at.file === null) throw new Error(`nothing at ${path}`);
    }
    return at;
  };
  const split = (path: string): [above: string, name: string] => {
    const at = path.lastIndexOf('/');
    return [path.slice(0, Math.max(0, at)), path.slice(at + 1)];
  };
  return {
    root,
    folder,
    at: resolve,
    async sync(options = {}) {
      const given = { mode: 'both', deletes: true, excluded: excluding([]), env: home.env, dryRun: false } as const;
      return await syncFolders(client, root, folder, {
        ...given,
        allowEmpty: true,
        host: 'box',
        report: () => {},
        ...options,
      });
    },
    async write(path, text) {
      await mkdir(join(root, split(path)[0]), { recursive: true });
      await writeFile(join(root, path), text);
    },
    async store(path, text) {
      const [above, name] = split(path);
      const { folder: parent } = await resolve(above);
      const there = (await contentOf(client, parent.id)).files.find((one) => one.name === name);
      const bytes = Buffer.from(text);
      const outgoing = {
        label: name,
        size: bytes.length,
        modifiedAt: (time += 1_000),
        changedAt: time,
        rereads: true,
        async *pieces(start: number, end: number) {
          yield bytes.subarray(start, end);
        },
        assertUnchanged: async () => {},
        name,
        folder: parent,
        replaces: there?.id,
      };
      const sending = { caller: client, ciphers: plainly, slots: slots(), open: [], moved: () => {} };
      return (await sendFile(sending, outgoing)).id;
    },
    async makeThere(path) {
      const [above, name] = split(path);
      const { folder: parent } = await resolve(above);
      const input = { name, parentFolderId: parent.id, vaultContainerId: parent.vaultContainerId };
      return await perform(client, filevault.createFolder, input);
    },
    async here() {
      const picture: Record<string, string> = {};
      for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        const name = path.slice(root.length + 1);
        picture[name] = entry.isDirectory() ? '' : await readFile(path, 'utf8');
      }
      return picture;
    },
    async there() {
      const picture: Record<string, string> = {};
      const visit = async (id: string, path: string): Promise<void> => {
        const { files, subfolders } = await contentOf(client, id);
        for (const file of files) picture[`${path}${file.name}`] = await textOf(client, file);
        for (const inner of subfolders) {
          picture[`${path}${inner.name}`] = '';
          await visit(inner.id, `${path}${inner.name}/`);
        }
      };
      await visit(folder.id, '');
      return picture;
    },
  };
}

/** Contents never change, so each version is read once. */
const texts = new Map<string, string>();

async function textOf(client: Client, file: FileItem): Promise<string> {
  const known = texts.get(file.currentVersionId);
  if (known !== undefined) return known;
  const source = await sourcesOf(client, plainly)(file);
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(source, { start: 0, end: source.size })) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  texts.set(file.currentVersionId, text);
  return text;
}

/** Both sides have exactly this, and another run finds nothing to do. */
export async function expectEqual(pair: Pair, picture?: Picture): Promise<void> {
  const [here, there] = [await pair.here(), await pair.there()];
  expect(here).toEqual(there);
  if (picture !== undefined) expect(here).toEqual(picture);
  const { actions, failures } = await pair.sync();
  expect({ actions, failed: failures.list }).toEqual({ actions: [], failed: [] });
}

export async function removeHere(pair: Pair, path: string): Promise<void> {
  await rm(join(pair.root, path), { recursive: true });
}
