import { mkdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { databaseLocation } from '../../config/secrets.ts';
import { nodeSecretPath } from '../../config/paths.ts';
import { Problem } from '../../base/problem.ts';
import { openBlocks } from '../../platform/store/blocks/blocks.ts';
import type { Database, EngineName } from '../../platform/store/database.ts';
import { erasureKeysPath } from '../../platform/store/erasure.ts';
import { schemaVersion } from '../../platform/store/migrations.ts';
import { openDatabase } from '../../platform/store/open.ts';
import { markMoved } from '../../platform/store/moved.ts';
import { copyBlocks } from '../../platform/store/transfer/copy-blocks.ts';
import { copyTables, type CopiedTable } from '../../platform/store/transfer/copy-tables.ts';
import { calm, type OnProgress } from '../../platform/store/transfer/progress.ts';
import type { Side } from '../../platform/store/transfer/table-shape.ts';
import { configuredPlace, embeddedPlace, type Loaded, type StorePlace } from './store-place.ts';

export interface CopyRequest {
  /** a whole PostgreSQL URL with its password, or a data directory for the embedded engine */
  readonly to: { readonly url: string } | { readonly dataDir: string };
  /** continue with the present store; without it, a store that was copied to PostgreSQL refuses to be opened */
  readonly stay?: boolean | undefined;
  /** replace the rows that the target has */
  readonly force?: boolean | undefined;
  readonly command?: string | undefined;
  readonly onProgress?: OnProgress | undefined;
}

export interface CopyReport {
  readonly from: { readonly engine: EngineName; readonly location: string };
  readonly to: { readonly engine: EngineName; readonly location: string };
  readonly schemaVersion: number;
  /** counts and hashes that are the same on both sides */
  readonly tables: readonly CopiedTable[];
  readonly rows: number;
  readonly blocks: { readonly copied: number; readonly present: number };
  /** what is left to do, in whole sentences */
  readonly notes: readonly string[];
}

/**
 * Copies the configured store to another engine or place, and compares both sides. The rows of the configured store don't change. A store
 * in a file that was copied to PostgreSQL refuses to be opened afterwards, unless `stay` is set. In all other cases the configuration
 * decides which of the two stores is used. Sessions are copied too. Unlike the sessions in a backup they are current, and a move is no
 * reason to sign everybody out.
 *
 * @throws Problem conflict STORE_EXISTS | STORE_IN_USE | STORE_MOVED | STORE_TOO_OLD | STORE_TOO_NEW; missing STORE_MISSING; invalid
 *   SAME_STORE | COPY_UNFIT; internal COPY_DIFFERS
 */
export async function copyStore(loaded: Loaded, request: CopyRequest): Promise<CopyReport> {
  const { force = false, command = 'conclave admin store copy' } = request;
  const onProgress = calm(request.onProgress);
  const from = configuredPlace(loaded);
  const to =
    'url' in request.to ? postgresPlace(request.to.url, from.dataDir) : embeddedPlace(resolve(request.to.dataDir));
  if (await isSame(from, to))
    throw new Problem('invalid', 'SAME_STORE', 'The target is the store itself. Name another one.');
  const moves = from.engine === 'sqljs' && to.engine === 'postgres' && request.stay !== true;
  await using source = await openDatabase({ dataDir: from.dataDir, url: from.url, command });
  if (to.engine === 'sqljs') await mkdir(to.dataDir, { recursive: true, mode: 0o700 });
  await using target = await openDatabase({ dataDir: to.dataDir, url: to.url, create: true, migrate: force, command });
  const tables = await consistently(source, async (side) => {
    return await target.exclusively(
      async (db) => await copyTables(side, { db, engine: target.engine }, { replace: force, onProgress }),
    );
  });
  // The source is marked before its lock is released, so that nobody can write to it in between.
  if (moves) await markMoved(from.dataDir, { to: to.location, at: Date.now() });
  const sameFolder = (await realpath(from.dataDir)) === (await realpath(to.dataDir));
  return {
    from: { engine: from.engine, location: from.location },
    to: { engine: to.engine, location: to.location },
    schemaVersion: await schemaVersion(target),
    tables,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    blocks: sameFolder
      ? { copied: 0, present: (await openBlocks(from.dataDir).stat()).blocks }
      : await copyBlocks(openBlocks(from.dataDir), openBlocks(to.dataDir), onProgress),
    notes: await notesOn(loaded, { to, sameFolder, moves }),
  };
}

function postgresPlace(url: string, dataDir: string): StorePlace {
  try {
    return { engine: 'postgres', location: databaseLocation.parse(url).location, dataDir, url };
  } catch {
    // The error itself isn't passed on, because it may repeat the URL, which holds a password.
    throw new Problem('invalid', 'STORE_URL', 'The target must be a URL such as postgres://user@host:5432/database');
  }
}

async function isSame(from: StorePlace, to: StorePlace): Promise<boolean> {
  if (from.engine !== to.engine) return false;
  if (from.engine === 'postgres') return from.location === to.location;
  const [one, other] = await Promise.all(
    [from.dataDir, to.dataDir].map(async (folder) => await realpath(folder).catch(() => folder)),
  );
  return one === other;
}

/** An embedded store is open in this process alone. A PostgreSQL store may be open in other processes. */
async function consistently<T>(source: Database, body: (side: Side) => Promise<T>): Promise<T> {
  if (source.engine === 'sqljs') return await body(source);
  return await source.snapshot(async (snapshot) => {
    if (snapshot.kind !== 'handle') throw new Error('a snapshot of PostgreSQL is a handle');
    return await body({ db: snapshot.db, engine: source.engine });
  });
}

interface Copied {
  readonly to: StorePlace;
  readonly sameFolder: boolean;
  readonly moves: boolean;
}

async function notesOn({ config }: Loaded, { to, sameFolder, moves }: Copied): Promise<string[]> {
  const use =
    to.engine === 'postgres'
      ? `database = "${to.location}"`
      : sameFolder
        ? 'no database'
        : `data_dir = "${to.dataDir}"`;
  const notes = [
    `To use this copy, configure the server with ${use}.`,
    moves
      ? 'The old store is marked as moved. Conclave does not open it any more.'
      : 'Both stores have the same sessions. A member who signs out of one is still signed in to the other, so use only one of them.',
  ];
  const secret = nodeSecretPath(to.dataDir);
  if (!sameFolder && !(await isFile(secret)))
    notes.push(`The node secret was not copied. Copy ${config.nodeSecretFile} to ${secret}.`);
  const keys = erasureKeysPath(config);
  const theirs = join(to.dataDir, 'erasure.keys');
  if (!sameFolder && (await isFile(keys)) && !(await isFile(theirs)))
    notes.push(`The erasure keys of the file vault were not copied. Copy ${keys} to ${theirs}.`);
  return notes;
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
