import * as fs from 'node:fs/promises';

/** The calls of node:fs/promises that blocks and restores are written with; tests put a disk here that loses its power. */
export type StoreFiles = Pick<
  typeof fs,
  'mkdir' | 'open' | 'readdir' | 'rename' | 'rm' | 'stat' | 'unlink' | 'writeFile'
>;

export const nodeFiles: StoreFiles = fs;
