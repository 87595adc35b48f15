import { createReadStream } from 'node:fs';
import { copyFile, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toHex } from '../../../crypto/bytes.ts';
import type { KeyPair } from '../../../crypto/key-pair.ts';
import { nodeIdOf } from '../../../crypto/public-key.ts';
import type { BlockStore } from '../blocks/blocks.ts';
import { tableCounts } from '../census.ts';
import type { Database } from '../database.ts';
import { migrate, schemaVersion } from '../migrations.ts';
import { openSqljsDatabase } from '../sqljs/sqljs-database.ts';
import { copyTables } from '../transfer/copy-tables.ts';
import { calm, type OnProgress } from '../transfer/progress.ts';
import type { Side } from '../transfer/table-shape.ts';
import { createArchive, pieceBytes, type ArchiveWriter } from './archive-writer.ts';
import { createBlockCopy } from './block-copy.ts';
import { fileProblem, fullThere, moveIntoPlace } from './place.ts';
import {
  entryNames,
  formatVersion,
  manifestHashLine,
  readme,
  writeManifest,
  type Manifest,
  type SealedSecret,
} from './manifest.ts';
import { signManifest } from './signature.ts';

export interface BackupSource {
  readonly database: Database;
  readonly blocks: BlockStore;
}

export interface BackupOptions {
  /** absolute path of a file that doesn't exist yet */
  readonly file: string;
  /** key pair of the node, which signs the backup */
  readonly identity: KeyPair;
  /** version of the program */
  readonly version: string;
  /** ms since 1970 */
  readonly now: number;
  readonly secret?: SealedSecret | undefined;
  /** asked for after the snapshot of the database: what is erased later stays erased */
  readonly erasureKeys?: (() => Promise<ErasureKeysOfBackup>) | undefined;
  readonly onProgress?: OnProgress | undefined;
}

export interface ErasureKeysOfBackup {
  readonly manifest: Exclude<Manifest['erasureKeys'], undefined>;
  /** what becomes the file beside the backup, in place of an earlier one */
  readonly file?: { readonly name: string; readonly content: Uint8Array } | undefined;
}

export interface BackupReport {
  readonly path: string;
  readonly bytes: number;
  readonly rows: number;
  readonly blocks: number;
  /** blocks of the store that are damaged and therefore not in the backup */
  readonly damagedBlocks: readonly string[];
  readonly withSecrets: boolean;
}

/**
 * Writes the store to one file while others read and write it. See manifest.ts for the content of that file.
 *
 * The database is a copy of the file as it was at one moment. Copying pages takes a fraction of the time of reading rows, and nobody waits
 * meanwhile. On PostgreSQL the rows of one snapshot are copied into an SQLite file. So every backup can be opened with the same tools and
 * can be restored to either engine. Blocks never change. They are copied before that moment, and the blocks that were added meanwhile are
 * copied after it. So each row finds its block, unless the block was added and deleted while the backup was written.
 *
 * @throws Problem conflict BACKUP_TARGET_EXISTS | invalid VALIDATION_ERROR (path) | unavailable STORE_FULL
 */
export async function writeBackup(source: BackupSource, options: BackupOptions): Promise<BackupReport> {
  const folder = dirname(options.file);
  let staging: string;
  try {
    staging = await mkdtemp(join(folder, '.conclave-backup-'));
  } catch (error) {
    throw fileProblem(error, 'path', folder);
  }
  try {
    return await writeInto(staging, source, options);
  } catch (error) {
    throw fileProblem(error, 'path', folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function writeInto(staging: string, source: BackupSource, options: BackupOptions): Promise<BackupReport> {
  const { file, identity, version, now, secret } = options;
  const onProgress = calm(options.onProgress);
  const partial = join(staging, 'backup');
  const handle = await open(partial, 'wx', 0o600);
  let bytes: number;
  let manifest: Manifest;
  let besides: { readonly from: string; readonly to: string } | undefined;
  const blocks = createBlockCopy(source.blocks, onProgress);
  try {
    const archive = createArchive(handle, now);
    const files = [await appendText(archive, entryNames.readme, readme)];
    await blocks.copyTo(archive);
    const database = await copyDatabase(source.database, staging, onProgress);
    const keys = await options.erasureKeys?.();
    if (keys?.file !== undefined) besides = await stage(staging, keys.file);
    files.push(await appendFile(archive, entryNames.database, database.file));
    await blocks.copyTo(archive);
    files.push(await appendText(archive, entryNames.blockList, blocks.list()));
    manifest = {
      format: 'conclave-backup',
      formatVersion,
      createdAt: new Date(now).toISOString(),
      version,
      nodeId: nodeIdOf(identity.publicKey),
      publicKey: toHex(identity.publicKey),
      engine: source.database.engine,
      schemaVersion: database.schemaVersion,
      tables: database.tables,
      files,
      blocks: { count: blocks.count, bytes: blocks.bytes },
      secret: secret ?? null,
      ...(keys && { erasureKeys: keys.manifest }),
    };
    const written = writeManifest(manifest);
    await appendText(archive, entryNames.signature, signManifest(identity, written));
    const { sha3_512 } = await appendText(archive, entryNames.manifest, written);
    await appendText(archive, entryNames.manifestHash, manifestHashLine(sha3_512));
    bytes = await archive.finish();
  } finally {
    await handle.close();
  }
  // Newer keys open an older backup as well, so nothing is lost if this is all that happens.
  if (besides !== undefined) await rename(besides.from, besides.to);
  await moveIntoPlace(partial, file);
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  return {
    path: file,
    bytes,
    rows,
    blocks: blocks.count,
    damagedBlocks: blocks.damaged,
    withSecrets: secret !== undefined,
  };
}

async function stage(
  staging: string,
  { name, content }: NonNullable<ErasureKeysOfBackup['file']>,
): Promise<{ readonly from: string; readonly to: string }> {
  const from = join(staging, name);
  const handle = await open(from, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { from, to: join(dirname(staging), name) };
}

type FileEntry = Manifest['files'][number];

async function appendText(archive: ArchiveWriter, name: string, text: string | Uint8Array): Promise<FileEntry> {
  const content = Buffer.from(text);
  return await appendAll(archive, name, content.length, pieces(content));
}

async function appendFile(archive: ArchiveWriter, name: string, file: string): Promise<FileEntry> {
  const { size } = await stat(file);
  return await appendAll(archive, name, size, createReadStream(file, { highWaterMark: pieceBytes }));
}

async function appendAll(
  archive: ArchiveWriter,
  name: string,
  size: number,
  content: AsyncIterable<Uint8Array>,
): Promise<FileEntry> {
  const sha3_512 = await archive.append(name, size, content);
  if (sha3_512 === undefined) throw new Error(`${name} changed while it was copied`);
  return { name, size, sha3_512 };
}

async function* pieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < content.length; start += pieceBytes) yield content.slice(start, start + pieceBytes);
}

interface DatabaseCopy {
  readonly file: string;
  readonly schemaVersion: number;
  readonly tables: { name: string; rows: number }[];
}

async function copyDatabase(database: Database, staging: string, onProgress: OnProgress): Promise<DatabaseCopy> {
  const file = join(staging, 'store.db');
  onProgress({ what: 'copying the database', done: 0, total: 0 });
  await database.snapshot(async (snapshot) => {
    if (snapshot.kind === 'file') await copyFile(snapshot.file, file);
    else await copyRows({ db: snapshot.db, engine: database.engine }, staging, onProgress);
  });
  try {
    // Opening the copy proves that it can be opened; closing it leaves one file without a log.
    await using copy = await openSqljsDatabase(staging);
    return { file, schemaVersion: await schemaVersion(copy), tables: await tableCounts(copy) };
  } catch (error) {
    throw fullThere(error, dirname(staging));
  }
}

async function copyRows(from: Side, staging: string, onProgress: OnProgress): Promise<void> {
  try {
    await using copy = await openSqljsDatabase(staging);
    await migrate(copy);
    await copy.exclusively(
      async (db) => await copyTables(from, { db, engine: copy.engine }, { replace: false, onProgress }),
    );
  } catch (error) {
    throw fullThere(error, dirname(staging));
  }
}
