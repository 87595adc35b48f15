import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { toHex } from '../../../crypto/bytes.ts';
import { Problem } from '../../../base/problem.ts';
import type { Database, Db } from '../database.ts';
import { readIfThere, replaceDurably } from '../durable-file.ts';
import { asStoreFull } from '../full-disk.ts';
import type { BlockStore } from './blocks.ts';
import { blockColumns, referredBlocks } from './references.ts';

/**
 * The folder of blocks and the database name each other by an id, so that the blocks of another store are noticed. A folder without an id
 * gets it when blocks of the store are found in it: it is one from before, or one that was filled from a backup or by hand.
 */
interface Place {
  readonly store: Database;
  readonly dataDir: string;
  readonly blocks: BlockStore;
}

const ID_BYTES = 16;
/** Blocks of each table that are looked for. Some may be missing for another reason. */
const SAMPLE = 8;

export function blockFolderFile(dataDir: string): string {
  return join(dataDir, 'blocks', 'store.id');
}

/** @returns what is wrong with the folder of blocks, as a whole sentence; undefined: it is the one of the store, or it can be */
export async function blockFolderFault(place: Place): Promise<string | undefined> {
  return await faultOf(place, await foundId(place.dataDir));
}

/** @param found the id in the folder */
async function faultOf({ store, dataDir, blocks }: Place, found: string | undefined): Promise<string | undefined> {
  const named = await namedId(store.db);
  if (found !== undefined && found !== named)
    return `The folder ${join(dataDir, 'blocks')} has the blocks of another store. Put back the folder of this store, or restore a backup`;
  if (found !== undefined || (await hasSome(store.db, blocks)) !== false) return undefined;
  return `The blocks of this store are not in ${join(dataDir, 'blocks')}. Put back the folder, or restore a backup`;
}

/**
 * Lets the folder and the database name each other, if they don't yet.
 * @returns what is wrong, as a whole sentence, if no block of the store is there
 * @throws Problem conflict BLOCKS_OF_OTHER_STORE
 */
export async function settleBlockFolder(
  place: Place,
  random: (size: number) => Uint8Array,
): Promise<string | undefined> {
  const { store, dataDir } = place;
  const found = await foundId(dataDir);
  const fault = await faultOf(place, found);
  if (fault !== undefined) {
    if (found === undefined) return fault;
    throw new Problem('conflict', 'BLOCKS_OF_OTHER_STORE', fault);
  }
  if (found === undefined) await nameBlockFolder(dataDir, await idOf(store, random));
  return undefined;
}

/** Names the folder after a store whose blocks were just put into it. @throws Problem unavailable STORE_FULL */
export async function nameBlockFolder(dataDir: string, id: string): Promise<void> {
  try {
    await mkdir(join(dataDir, 'blocks'), { recursive: true, mode: 0o700 });
    await replaceDurably(blockFolderFile(dataDir), idText(id));
  } catch (error) {
    throw asStoreFull(error);
  }
}

/** The content of the file. */
export function idText(id: string): string {
  return `${id}\n`;
}

/** @returns the id of the folder of a store, which is given now if there is none yet */
export async function idOf(store: Database, random: (size: number) => Uint8Array): Promise<string> {
  return await store.transaction(async (db) => {
    const known = await namedId(db);
    if (known !== undefined) return known;
    const id = toHex(random(ID_BYTES));
    await db.insertInto('block_folder').values({ id }).execute();
    return id;
  });
}

async function namedId(db: Db): Promise<string | undefined> {
  return (await db.selectFrom('block_folder').select('id').executeTakeFirst())?.id;
}

async function foundId(dataDir: string): Promise<string | undefined> {
  return (await readIfThere(blockFolderFile(dataDir)))?.trim();
}

/** Whether blocks of the store are in the folder; undefined: the store has none. */
async function hasSome(db: Db, blocks: BlockStore): Promise<boolean | undefined> {
  let looked = false;
  for (const one of blockColumns)
    for (const id of await referredBlocks(db, one, '', SAMPLE)) {
      looked = true;
      if ((await blocks.head(id)) !== undefined) return true;
    }
  return looked ? false : undefined;
}
