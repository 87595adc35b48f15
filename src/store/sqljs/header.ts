import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { codeOf } from './disk.ts';
import { notAStore, storeDamaged } from './failure.ts';

/** "Conc"; in the header of every store, https://www.sqlite.org/assoc.html */
export const applicationId = 0x43_6f_6e_63;

const magic = Buffer.from('SQLite format 3\0', 'latin1');
/** https://www.sqlite.org/fileformat2.html#the_database_header */
const headerBytes = 100;
const applicationIdAt = 68;

/**
 * Looks at the beginning of a store's file before SQLite does: SQLite would roll back journals and write into a database that
 * isn't ours.
 * @returns whether there is a database, as opposed to no file or an empty one
 * @throws Problem invalid STORE_NOT_A_STORE, internal STORE_DAMAGED
 */
export function checkHeader(path: string): boolean {
  const header = Buffer.alloc(headerBytes);
  let size: number;
  try {
    // A hundred bytes before anything else can happen: each turn through the thread pool would take longer.
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
  // Zero is what a process leaves that died while it made the store; openDatabase looks whether anything is in it.
  if (id !== applicationId && id !== 0) throw notAStore('it is the database of another program');
  return true;
}
