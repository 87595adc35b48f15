import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { codeOf } from './disk.ts';
import { notAStore, storeDamaged } from './failure.ts';

/** The ASCII bytes of "Conc", which the header of every store contains, https://www.sqlite.org/assoc.html */
export const applicationId = 0x43_6f_6e_63;

const magic = Buffer.from('SQLite format 3\0', 'latin1');
/** https://www.sqlite.org/fileformat2.html#the_database_header */
const headerBytes = 100;
const applicationIdAt = 68;

/**
 * Checks the beginning of a store's file before SQLite opens it: SQLite would roll back journals and write even if the database isn't ours.
 * @returns whether there is a database; false for a missing or empty file
 * @throws Problem invalid STORE_NOT_A_STORE, internal STORE_DAMAGED
 */
export function checkHeader(path: string): boolean {
  const header = Buffer.alloc(headerBytes);
  let size: number;
  try {
    // The calls are synchronous: for a hundred bytes, each call through the thread pool would take longer.
    const file = openSync(path, 'r');
    try {
      if (!fstatSync(file).isFile()) throw notAStore('it is no file');
      size = readSync(file, header, 0, headerBytes, 0);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    if (codeOf(error) === 'EISDIR') throw notAStore('it is a folder');
    throw error;
  }
  if (size === 0) return false;
  if (!header.subarray(0, magic.length).equals(magic.subarray(0, Math.min(size, magic.length)))) {
    throw notAStore('it is not an SQLite database, or its beginning was overwritten');
  }
  if (size < headerBytes) throw storeDamaged();
  const id = header.readUInt32BE(applicationIdAt);
  // The id is zero if a process died while it made the store; openDatabase checks whether the database has content.
  if (id !== applicationId && id !== 0) throw notAStore('it is the database of another program');
  return true;
}
