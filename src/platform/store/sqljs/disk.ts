import * as fs from 'node:fs';
import { isFullDisk } from '../full-disk.ts';

/** The calls of node:fs that the embedded engine makes; tests replace them with a failing disk. */
export type Disk = Pick<
  typeof fs,
  | 'accessSync'
  | 'closeSync'
  | 'fchownSync'
  | 'fdatasyncSync'
  | 'fstatSync'
  | 'fsyncSync'
  | 'ftruncateSync'
  | 'openSync'
  | 'readSync'
  | 'statSync'
  | 'unlinkSync'
  | 'writeSync'
> & {
  fdatasync(fd: number, done: (error: Error | null) => void): void;
};

export const nodeDisk: Disk = fs;

/** WASI error numbers, https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#errno */
export const errno = {
  EACCES: 2,
  EBADF: 8,
  EEXIST: 20,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  EMFILE: 33,
  ENFILE: 41,
  ENOENT: 44,
  ENOSPC: 51,
  ENOTDIR: 54,
  EPERM: 63,
  EROFS: 69,
} as const;

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EIO';
}

/** Never returns success: an unknown code becomes an input/output error. */
export function errnoOf(code: string): number {
  // SQLite knows only ENOSPC as a full disk, so a quota or a limit on files gives this code too.
  if (isFullDisk(code)) return errno.ENOSPC;
  return (errno as Record<string, number>)[code] ?? errno.EIO;
}
