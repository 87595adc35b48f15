import { Problem, problemKinds } from '../../../base/problem.ts';
import { fileReasons, isFileReason } from '../../kit/file-reasons.ts';

/** What was not moved, and why. */
export interface Failure {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** Failures of single things, while the others go on. */
export interface Failures {
  readonly list: readonly Failure[];
  add(path: string, error: unknown): undefined;
  /** 0 if there are none; that of all, or 1 if they differ */
  readonly exitCode: number;
}

export function failures(): Failures {
  const list: Failure[] = [];
  const codes = new Set<number>();
  return {
    list,
    add(path, error) {
      if (list.some((one) => one.path === path)) return undefined;
      const { code, message } = described(path, error);
      list.push({ path, code, message });
      codes.add(error instanceof Problem ? problemKinds[error.kind].exit : 1);
      return undefined;
    },
    get exitCode() {
      const [only, ...others] = codes;
      return only === undefined ? 0 : others.length === 0 ? only : 1;
    },
  };
}

function described(path: string, error: unknown): { code: string; message: string } {
  if (error instanceof Problem) return error;
  const { code = 'INTERNAL_ERROR' } = error as NodeJS.ErrnoException;
  if (isFileReason(code)) return { code, message: `${path}: ${fileReasons[code]}.` };
  return { code, message: error instanceof Error ? error.message : String(error) };
}

/** Whether an error is about one file of this machine, so that the others can go on. */
export function isOfDisk(error: unknown): boolean {
  return error instanceof Error && !(error instanceof Problem) && 'syscall' in error;
}
