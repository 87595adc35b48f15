import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { execaNode } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { deriveNodeKeys } from '../../../src/config/node-keys.ts';
import { describeBackup, restoreStore, type RestoreRequest } from '../../../src/services/node/restore.ts';
import { sealNodeSecret } from '../../../src/services/node/sealed-secret.ts';
import { createArchive } from '../../../src/platform/store/backup/archive-writer.ts';
import { manifestHashLine } from '../../../src/platform/store/backup/manifest.ts';
import { tarEntries } from '../../../src/platform/store/backup/tar.ts';
import { writeBackup } from '../../../src/platform/store/backup/write-backup.ts';
import { lentBlocks } from '../../support/lent-blocks.ts';
import { finishRestore } from '../../../src/platform/store/pending-restore.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import { bundle } from '../../support/bundle.ts';
import { blockIds, contentOf, fillBlocks, fillStore, signedOut } from '../../support/sample-store.ts';
import { testRandom } from '../../support/seeded.ts';
import { bothEngines, createPostgresDatabase, putMigratedStore, temporaryFolder } from '../../support/stores.ts';
import { someMoment } from '../../support/real-time.ts';

type Content = Awaited<ReturnType<typeof contentOf>>;

const passphrase = 'correct horse';
const ours = new Uint8Array(32).fill(1);
const theirs = new Uint8Array(32).fill(2);
const { nodeId, identity } = deriveNodeKeys(ours);

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let plain: string;
let withSecret: string;
let content: Content;
let ids: string[];

beforeAll(async () => {
  folder = await temporaryFolder();
  const dataDir = join(folder.path, 'source');
  await putMigratedStore(dataDir);
  await using database = await openDatabase({ dataDir, command: 'a test' });
  await fillStore(database, 10);
  ids = await fillBlocks(lentBlocks(dataDir), 5);
  content = signedOut(await contentOf(database));
  plain = join(folder.path, 'plain.tar');
  withSecret = join(folder.path, 'with-secret.tar');
  const source = { database, blocks: lentBlocks(dataDir) };
  const options = { identity, version: '1.0.0', now: 1_700_000_000_000 };
  await writeBackup(source, { ...options, file: plain });
  await writeBackup(source, { ...options, file: withSecret, secret: await sealNodeSecret(ours, nodeId, passphrase) });
});

afterAll(async () => await folder[Symbol.asyncDispose]());

const nobodyKnows = async (): Promise<string> => await Promise.reject(new Error('nobody needs the passphrase'));

let places = 0;

/** A data directory, with the node secret and the rows that it should have already. */
async function place(has: { secret?: Uint8Array; rows?: number } = {}): Promise<string> {
  const dataDir = join(folder.path, `place-${++places}`);
  await mkdir(dataDir, { mode: 0o700 });
  if (has.secret) await writeFile(join(dataDir, 'node.secret'), has.secret, { mode: 0o600 });
  if (has.rows === undefined) return dataDir;
  await putMigratedStore(dataDir);
  await using database = await openDatabase({ dataDir, command: 'a test' });
  await fillStore(database, has.rows, 'old');
  return dataDir;
}

async function load(dataDir: string, more: Record<string, string> = {}) {
  return await loadConfig({ flags: { 'data-dir': dataDir }, env: more, home: dataDir, cwd: dataDir });
}

async function restore(dataDir: string, request: RestoreRequest) {
  return await restoreStore(await load(dataDir), request);
}

async function contentIn(dataDir: string, url?: string): Promise<Content> {
  await using database = await openDatabase({ dataDir, url, command: 'a test' });
  return await contentOf(database);
}

const secretIn = async (dataDir: string) =>
  await readFile(join(dataDir, 'node.secret')).then(
    (bytes) => bytes[0],
    () => undefined,
  );

describe('restoring a store', () => {
  it('brings back everything where there was nothing, the node secret included', async () => {
    const dataDir = join(folder.path, 'fresh', 'machine');
    const progress: string[] = [];
    const report = await restore(dataDir, {
      file: withSecret,
      passphrase: async () => passphrase,
      onProgress: ({ what, done, total }) => progress.push(`${what} ${done}/${total}`),
    });
    expect(report).toMatchObject({
      nodeId,
      engine: 'sqljs',
      blocks: 5,
      secret: 'restored',
      endedSessions: 10,
      createdAt: '2023-11-14T22:13:20.000Z',
    });
    expect(report.location).toBe(join(dataDir, 'store.db'));
    expect(report.rows).toBe(Object.values(content).flat().length);
    expect(await contentIn(dataDir)).toEqual(content);
    expect(await blockIds(lentBlocks(dataDir))).toEqual(ids.toSorted());
    expect(new Uint8Array(await readFile(join(dataDir, 'node.secret')))).toEqual(ours);
    for (const file of ['node.secret', 'store.db']) expect((await stat(join(dataDir, file))).mode & 0o777).toBe(0o600);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('restore'))).toEqual([]);
    expect(progress).toContain(
      'checking the backup 0/0'.replace('0/0', `${(await stat(withSecret)).size}/${(await stat(withSecret)).size}`),
    );
    expect(progress.at(-1)).toMatch(/^restoring blocks 5\/5$/);
  });

  it('says what a backup is without reading it all', async () => {
    expect(await describeBackup(withSecret)).toMatchObject({
      nodeId,
      version: '1.0.0',
      engine: 'sqljs',
      blocks: 5,
      withSecrets: true,
    });
    expect(await describeBackup(plain)).toMatchObject({ withSecrets: false, bytes: (await stat(plain)).size });
  });

  it('replaces a store only when told to, and keeps the node secret that is there', async () => {
    const dataDir = await place({ secret: ours, rows: 3 });
    const before = await contentIn(dataDir);
    await expect(restore(dataDir, { file: plain })).rejects.toMatchObject({ kind: 'conflict', code: 'STORE_EXISTS' });
    expect(await contentIn(dataDir)).toEqual(before);
    expect(await restore(dataDir, { file: withSecret, force: true, passphrase: nobodyKnows })).toMatchObject({
      secret: 'kept',
    });
    expect(await contentIn(dataDir)).toEqual(content);
  });

  it('refuses another passphrase and changes nothing', async () => {
    const dataDir = await place({ rows: 2 });
    const before = await contentIn(dataDir);
    const restoring = restore(dataDir, { file: withSecret, force: true, passphrase: 'wrong horse' });
    await expect(restoring).rejects.toMatchObject({ kind: 'invalid', code: 'PASSPHRASE_WRONG' });
    await expect(restoring).rejects.not.toThrow('wrong horse');
    expect(await contentIn(dataDir)).toEqual(before);
    expect(await secretIn(dataDir)).toBeUndefined();
  });

  it.each([
    ['nothing at hand', undefined, {}, { kind: 'missing', code: 'NODE_SECRET_MISSING' }],
    ['the secret of another node', theirs, { force: true }, { kind: 'conflict', code: 'OTHER_NODE' }],
    [
      'the secret of another node and no force',
      theirs,
      { passphrase, secretInBackup: true },
      { kind: 'conflict', code: 'OTHER_NODE' },
    ],
  ] as const)('needs the secret of its node: %s', async (_what, secret, { ...request }, expected) => {
    const dataDir = await place(secret ? { secret } : {});
    const file = 'secretInBackup' in request ? withSecret : plain;
    await expect(restore(dataDir, { file, ...request })).rejects.toMatchObject(expected);
    expect((await readdir(dataDir)).filter((name) => name !== 'node.secret')).toEqual([]);
  });

  it('goes on without the secret of its node when told to', { tags: 'soak' }, async () => {
    const bare = await place();
    expect(await restore(bare, { file: plain, otherNode: true, trust: () => undefined })).toMatchObject({
      secret: 'absent',
    });
    const other = await place({ secret: theirs });
    expect(
      await restore(other, { file: withSecret, otherNode: true, trust: () => undefined, passphrase: nobodyKnows }),
    ).toMatchObject({
      secret: 'other',
    });
    expect(await secretIn(other)).toBe(2);
    expect(await contentIn(other)).toEqual(content);
  });

  it('replaces the secret of another node together with its store, when told to', { tags: 'soak' }, async () => {
    const dataDir = await place({ secret: theirs, rows: 2 });
    expect(await restore(dataDir, { file: withSecret, force: true, passphrase })).toMatchObject({ secret: 'restored' });
    expect(await secretIn(dataDir)).toBe(1);
    expect(await contentIn(dataDir)).toEqual(content);
  });

  it('puts the secret where it is configured to be, and never over another', { tags: 'thorough' }, async () => {
    const dataDir = await place();
    const file = join(folder.path, 'elsewhere', 'secret');
    const loaded = await load(dataDir, { CONCLAVE_NODE_SECRET_FILE: file });
    expect(await restoreStore(loaded, { file: withSecret, passphrase })).toMatchObject({ secret: 'restored' });
    expect(new Uint8Array(await readFile(file))).toEqual(ours);
    await writeFile(file, theirs);
    const again = restoreStore(loaded, { file: withSecret, passphrase, force: true });
    await expect(again).rejects.toMatchObject({ kind: 'conflict', code: 'OTHER_NODE' });
    await expect(again).rejects.toThrow(`Move ${file} away first`);
  });

  it('repairs a damaged block', async () => {
    const dataDir = await place({ secret: ours });
    const [id = ''] = ids.slice(-1);
    const path = join(dataDir, 'blocks', id.slice(0, 2), id.slice(2, 4), id);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, Buffer.alloc((await lentBlocks(join(folder.path, 'source')).get(id)).length));
    await restore(dataDir, { file: plain });
    expect(await lentBlocks(dataDir).verify(id)).toBe(true);
  });

  it('is refused while a process has the store open', async () => {
    const dataDir = await place({ secret: ours, rows: 1 });
    await using running = await openDatabase({ dataDir, command: 'conclave serve' });
    expect(running.engine).toBe('sqljs');
    await expect(restore(dataDir, { file: plain, force: true })).rejects.toMatchObject({ code: 'STORE_IN_USE' });
  });

  it('leaves the old store or the new one, whenever it is killed', { tags: 'soak' }, async () => {
    const old = await place({ secret: theirs });
    let oldContent: Content;
    {
      await using database = await openDatabase({ dataDir: old, migrate: true, command: 'a test' });
      await fillStore(database, 6, 'old');
      oldContent = await contentOf(database);
      // With a log that was never moved into the database, as a killed server leaves it.
      await mkdir(join(folder.path, 'hot'));
      for (const name of ['store.db', 'store.db-wal']) await copyFile(join(old, name), join(folder.path, 'hot', name));
    }
    await copyFile(join(old, 'node.secret'), join(folder.path, 'hot', 'node.secret'));
    await using program = await bundle('test/support/restore-process.ts');
    const random = testRandom();
    let duration = 500;
    const outcomes: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const dataDir = join(folder.path, `killed-${round}`);
      await mkdir(dataDir);
      for (const name of await readdir(join(folder.path, 'hot')))
        await copyFile(join(folder.path, 'hot', name), join(dataDir, name));
      const child = execaNode(program.path, [dataDir, withSecret], { reject: false });
      await once(child.stdout, 'data');
      const started = performance.now();
      // The first one runs to its end and tells how long that takes.
      if (round > 0) {
        await someMoment(random() * duration * 1.1);
        child.kill('SIGKILL');
      }
      await child;
      if (round === 0) duration = performance.now() - started;
      const found = await contentIn(dataDir);
      const which = (await secretIn(dataDir)) === 1 ? 'new' : 'old';
      expect(found).toEqual(which === 'new' ? content : oldContent);
      if (which === 'new') for (const id of ids) expect(await lentBlocks(dataDir).verify(id)).toBe(true);
      expect(await readdir(dataDir)).not.toContain('restore.pending');
      outcomes.push(which);
    }
    expect(outcomes[0]).toBe('new');
  });
});

describe('finishing a restore that was cut off', () => {
  it.each([
    ['nothing', []],
    ['the old log was removed', ['log']],
    ['the database was in place', ['log', 'store.db']],
    ['both files were in place', ['log', 'store.db', 'node.secret']],
  ])('works when %s', async (_what, done) => {
    const dataDir = await place({ secret: theirs });
    const pending = join(dataDir, 'restore.pending');
    await mkdir(pending);
    await writeFile(join(pending, 'store.db'), 'new database');
    await writeFile(join(pending, 'node.secret'), ours);
    await writeFile(join(dataDir, 'store.db'), 'old database');
    await writeFile(join(dataDir, 'store.db-wal'), 'old log');
    for (const step of done) {
      if (step === 'log') await rm(join(dataDir, 'store.db-wal'));
      else await rename(join(pending, step), join(dataDir, step));
    }
    await mkdir(join(dataDir, 'restore.partial'));
    await finishRestore(dataDir);
    await finishRestore(dataDir);
    expect((await readdir(dataDir)).sort()).toEqual(['node.secret', 'store.db']);
    expect(await readFile(join(dataDir, 'store.db'), 'utf8')).toBe('new database');
    expect(await secretIn(dataDir)).toBe(1);
  });
});

describe.runIf(bothEngines.includes('postgres'))('restoring a store in PostgreSQL', () => {
  it('replaces all rows in one step, and blocks and secret in the data directory', { tags: 'soak' }, async () => {
    await using created = await createPostgresDatabase({ migrated: false });
    const dataDir = await place();
    const loaded = await load(dataDir, { CONCLAVE_DATABASE: created.url });
    const report = await restoreStore(loaded, { file: withSecret, passphrase });
    expect(report).toMatchObject({ engine: 'postgres', secret: 'restored', blocks: 5 });
    expect(report.location).not.toContain(new URL(created.url).password);
    expect(await contentIn(dataDir, created.url)).toEqual(content);
    expect(
      (await readdir(dataDir)).filter((name) => name.startsWith('restore') || name.startsWith('store.db')),
    ).toEqual([]);
    await expect(restoreStore(loaded, { file: plain })).rejects.toMatchObject({ code: 'STORE_EXISTS' });
    await using database = await openDatabase({ dataDir, url: created.url });
    await database.db.deleteFrom('jobs').execute();
    expect(await restoreStore(loaded, { file: plain, force: true })).toMatchObject({ secret: 'kept' });
    expect(await contentOf(database)).toEqual(content);
  });
});

describe('a backup that this node did not sign', () => {
  /** As `plain`, or as somebody else would make it: the same node id, and another signature, or none. */
  async function forged(how: 'unsigned' | 'their key' | 'their node'): Promise<string> {
    const file = join(folder.path, `${how}.tar`);
    const dataDir = join(folder.path, 'source');
    await rm(file, { force: true });
    await using database = await openDatabase({ dataDir, command: 'a test' });
    const theirIdentity = deriveNodeKeys(theirs).identity;
    const signedBy = how === 'their key' ? { ...identity, privateKey: theirIdentity.privateKey } : theirIdentity;
    const options = { file, identity: signedBy, version: '1.0.0', now: 1_700_000_000_000 };
    await writeBackup({ database, blocks: lentBlocks(dataDir) }, options);
    if (how === 'unsigned') await writeUnsigned(plain, file);
    return file;
  }

  it.each([
    ['unsigned', 'is not signed'],
    ['their node', 'is signed by the node'],
  ] as const)('is restored on somebody’s word alone: %s', { tags: 'thorough' }, async (how, said) => {
    const file = await forged(how);
    const dataDir = await place({ secret: ours, rows: 3 });
    const before = await contentIn(dataDir);
    const otherNode = how === 'their node';
    const refused = restore(dataDir, { file, force: true, otherNode });
    await expect(refused).rejects.toMatchObject({ kind: 'conflict', code: 'BACKUP_UNTRUSTED' });
    for (const part of [said, '2023-11-14T22:13:20.000Z', 'rows', 'blocks', 'schema', '--trust'])
      await expect(refused).rejects.toThrow(part);
    expect(await contentIn(dataDir)).toEqual(before);

    const shown: string[] = [];
    await restore(dataDir, { file, force: true, otherNode, trust: (text) => void shown.push(text) });
    expect(shown).toEqual([expect.stringContaining(said)]);
    expect(await contentIn(dataDir)).toEqual(content);
  });

  it('is damage where the signature does not fit, whatever anybody says', async () => {
    const dataDir = await place({ secret: ours });
    const restoring = restore(dataDir, { file: await forged('their key'), trust: () => undefined });
    await expect(restoring).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
    await expect(restoring).rejects.toThrow('its signature does not fit');
  });
});

/** Format 1, as backups were before they were signed. */
async function writeUnsigned(from: string, to: string): Promise<void> {
  await using source = await open(from);
  await using target = await open(to, 'w');
  const archive = createArchive(target, 1_700_000_000_000);
  const append = async (name: string, bytes: Buffer) =>
    await archive.append(name, bytes.length, Readable.from([Uint8Array.from(bytes)]));
  for await (const { name, size, offset } of tarEntries(source, (await source.stat()).size)) {
    if (name.startsWith('manifest.json')) continue;
    const bytes = Buffer.alloc(size);
    await source.read(bytes, 0, size, offset);
    await append(name, bytes);
  }
  const { publicKey, ...manifest } = await manifestIn(source);
  expect(publicKey).toHaveLength(66);
  const written = Buffer.from(JSON.stringify({ ...manifest, formatVersion: 1 }));
  await append('manifest.json', written);
  await append(
    'manifest.json.sha3-512',
    Buffer.from(manifestHashLine(createHash('sha3-512').update(written).digest('hex'))),
  );
  await archive.finish();
}

async function manifestIn(source: FileHandle): Promise<Record<string, unknown>> {
  for await (const { name, size, offset } of tarEntries(source, (await source.stat()).size)) {
    if (name !== 'manifest.json') continue;
    const bytes = Buffer.alloc(size);
    await source.read(bytes, 0, size, offset);
    return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  }
  throw new Error('no manifest');
}
