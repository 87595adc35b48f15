import type { ProblemCode } from '../../base/problem-codes.ts';

/** Why the system refused to open a file. A message adds these words after the name of the file. */
export const fileReasons = {
  EACCES: 'this user may not open it',
  EPERM: 'this user may not change it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'part of the path is not a folder',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk cannot be written to',
} as const satisfies Partial<Record<ProblemCode, string>>;

export function isFileReason(code: unknown): code is keyof typeof fileReasons {
  return typeof code === 'string' && Object.hasOwn(fileReasons, code);
}

/** @param cause the error from reading the file */
export function unreadable(file: string, cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  return `${file} cannot be read${isFileReason(code) ? `: ${fileReasons[code]}` : ''}.`;
}
