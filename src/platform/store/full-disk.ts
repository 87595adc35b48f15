import { Problem } from '../../base/problem.ts';

/** Codes of a full disk, of a used-up quota, and of a limit on the size of files. In each case the operator has to make room. */
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

/** Returns STORE_FULL for an error of a full disk, and any other error unchanged. */
export function asStoreFull(error: unknown): unknown {
  return isFullDisk((error as NodeJS.ErrnoException | undefined)?.code) ? storeFull(error) : error;
}
