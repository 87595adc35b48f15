import { Problem } from '../../../base/problem.ts';

/** @param what the rest of the sentence "The backup is damaged: …" */
export function damaged(what: string, options: { cause?: unknown } = {}): Problem {
  return new Problem(
    'invalid',
    'BACKUP_DAMAGED',
    `The backup is damaged: ${what}. Nothing was changed. Use another copy of it.`,
    options,
  );
}

export function notABackup(): Problem {
  return new Problem('invalid', 'BACKUP_NOT_A_BACKUP', 'This file is not a backup of Conclave.');
}

/** @param version of the program that wrote the backup */
export function tooNew(version: string): Problem {
  return new Problem(
    'conflict',
    'BACKUP_TOO_NEW',
    `This backup was made by version ${version} of Conclave. Restore it with that version or a newer one.`,
  );
}
