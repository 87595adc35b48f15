import { Problem } from '../problem.ts';

/** A full disk, a quota that is used up, and a limit on the size of files: whoever runs the node has to make room. */
const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** @param code of an error of node:fs */
export function isFullDisk(code: string | undefined): boolean {
  return code !== undefined && fullCodes.has(code);
}

export function storeFull(cause?: unknown): Problem {
  return new Problem(
    'unavailable',
    'STORE_FULL',
    'The disk of the store is full. Nothing was saved. Free some space, then try again',
    {
      cause,
    },
  );
}

/** `error`, or what it means when the disk is full. */
export function asStoreFull(error: unknown): unknown {
  return isFullDisk((error as NodeJS.ErrnoException | undefined)?.code) ? storeFull(error) : error;
}
