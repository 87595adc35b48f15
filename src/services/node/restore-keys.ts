import { copyFile, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Problem } from '../../base/problem.ts';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../platform/store/database.ts';
import { ifMissing } from '../../platform/store/durable-file.ts';
import { erasureFiles, erasureKeysPath, fileInUse, lowestGeneration } from '../../platform/store/erasure.ts';
import { addErasureKeys, readErasureKeys } from '../../platform/store/erasure-keys.ts';
import type { RestoreOptions } from '../../platform/store/backup/restore-backup.ts';
import type { FileErasureRow } from '../../platform/store/tables/filevault.ts';
import { idOfSealedKeys, openErasureKeysFile, sealedKeysName, type PlainKeys } from './sealed-keys.ts';

export interface KeysRequest {
  /** the backup */
  readonly file: string;
  readonly force: boolean;
  /** the file of keys, or what a backup has of it; default: what lies beside the backup */
  readonly erasureKeys?: string | undefined;
  /** go on without the keys, and without any file of the file vault that is in the backup */
  readonly withoutFiles?: boolean | undefined;
  readonly passphrase: () => Promise<string>;
}

/** From the backup or the named file; kept as they were; none are needed; given up, with all files. */
export type KeysOutcome = 'restored' | 'kept' | 'none' | 'lost';

export interface KeysPlan {
  readonly inspect: NonNullable<RestoreOptions['inspect']>;
  readonly inStep: NonNullable<RestoreOptions['inStep']>;
  /** what comes before the store changes and can't be done in one step with it */
  readonly before: () => Promise<void>;
  readonly outcome: () => KeysOutcome;
  /** where the file went that was in place; its name says which one it is, so one of the same name is the same */
  readonly movedTo: () => string | undefined;
}

/** The erasure keys for a store that is being restored. `inspect` decides, and is called first. */
export function planKeys({ config, inStep }: { config: Config; inStep: boolean }, request: KeysRequest): KeysPlan {
  const path = erasureKeysPath(config);
  const isBeside = inStep && resolve(path) === resolve(join(config.dataDir, 'erasure.keys'));
  let outcome: KeysOutcome = 'none';
  let keys: PlainKeys | undefined;
  let aside: string | undefined;

  return {
    async inspect(staged) {
      const row = fileInUse(await erasureFiles(staged.db));
      if (row === undefined) return;
      const inPlace = await readErasureKeys(path).catch(ifMissing);
      inPlace?.bytes.fill(0);
      if (inPlace?.id === row.id && inPlace.generation >= lowestGeneration(row)) {
        outcome = 'kept';
        return;
      }
      if (inPlace !== undefined && inPlace.id !== row.id && !request.force) throw occupied(path);
      const isNeeded = await hasContents(staged, row);
      keys = await find(row, request, isNeeded);
      // What is behind is replaced in one step with the store where that is possible.
      const isReplaced = isBeside && inPlace?.id === row.id && keys !== undefined;
      if (inPlace !== undefined && !isReplaced) aside = `${path}.${inPlace.id.slice(0, 8)}-${inPlace.generation}`;
      outcome = keys === undefined ? (isNeeded ? 'lost' : 'none') : 'restored';
      if (keys === undefined) await giveUp(staged, row.id);
    },
    inStep: () => (isBeside && keys !== undefined ? [{ name: 'erasure.keys', content: keys.bytes }] : []),
    async before() {
      // If this is all that happens, the store before needs its file still.
      if (aside !== undefined && isBeside && keys !== undefined) await copyFile(path, aside);
      else if (aside !== undefined) await rename(path, aside);
      if (!isBeside && keys !== undefined) await addErasureKeys(path, keys.bytes);
    },
    outcome: () => outcome,
    movedTo: () => aside,
  };
}

/** @returns undefined: go on without any */
async function find(row: FileErasureRow, request: KeysRequest, isNeeded: boolean): Promise<PlainKeys | undefined> {
  const { erasureKeys: named, withoutFiles = false, passphrase } = request;
  const path = resolve(named ?? join(dirname(resolve(request.file)), sealedKeysName));
  if (withoutFiles && (await idOfSealedKeys(path).catch(ifMissing)) === row.id) throw notLost(path);
  if (named === undefined && (withoutFiles || !isNeeded)) return undefined;
  const found = await openErasureKeysFile(path, passphrase).catch(ifMissing);
  if (found === undefined)
    throw absent(named === undefined ? `They are not beside the backup (${path})` : `There is no file ${path}`);
  if (found.id !== row.id) throw absent(`${path} has those of another store`);
  if (found.generation < lowestGeneration(row))
    throw absent(`${path} is from before something was erased, so with it that could be opened again`);
  return found;
}

async function hasContents({ db }: Database, { first_slot: first, next_slot: next }: FileErasureRow): Promise<boolean> {
  const one = await db
    .selectFrom('file_contents')
    .select('id')
    .where('slot', '>=', first)
    .where('slot', '<', next)
    .limit(1)
    .executeTakeFirst();
  return one !== undefined;
}

async function giveUp({ db }: Database, id: string): Promise<void> {
  await db.updateTable('file_erasure').set({ lost: 1 }).where('id', '=', id).execute();
}

function absent(why: string): Problem {
  return new Problem(
    'invalid',
    'ERASURE_KEYS_MISSING',
    `Without the erasure keys of this store no file of the file vault can be opened. ${why}. Nothing was changed. Name the file with --erasure-keys, or go on without any file: --without-files`,
  );
}

/** Files are given up only when nobody has their keys. */
function notLost(path: string): Problem {
  return new Problem(
    'invalid',
    'USAGE',
    `The erasure keys of this store are in ${path}, so its files can be opened. Nothing was changed. Leave out --without-files.`,
  );
}

function occupied(path: string): Problem {
  return new Problem(
    'conflict',
    'ERASURE_KEYS_OF_OTHER_STORE',
    `${path} has the erasure keys of another store. Nothing was changed. To replace them, use --force. The file stays under another name.`,
  );
}
