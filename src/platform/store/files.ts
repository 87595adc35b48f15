import * as fs from 'node:fs/promises';

/** The calls of node:fs/promises that write blocks and restores. Tests replace them with a disk that loses power. */
export type StoreFiles = Pick<
  typeof fs,
  'lstat' | 'mkdir' | 'open' | 'readdir' | 'rename' | 'rm' | 'stat' | 'unlink' | 'writeFile'
>;

export const nodeFiles: StoreFiles = fs;
