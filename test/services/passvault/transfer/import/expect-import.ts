import { expect } from 'vitest';
import type { KeptEntry } from '../../../../../src/contract/passvault/entry.ts';
import type { ImportOptions, ImportResult } from '../../../../../src/services/passvault/transfer/import/import-run.ts';
import { parseImport } from '../../../../../src/services/passvault/transfer/import/parse.ts';
import { Problem } from '../../../../../src/base/problem.ts';
import { utf8 } from './samples.ts';

export async function importText(format: string, text: string, options?: ImportOptions): Promise<ImportResult> {
  return await parseImport(format, utf8(text), options);
}

/** The entries, of a file that has nothing else. */
export async function entriesOf(format: string, file: string | Uint8Array): Promise<KeptEntry[]> {
  const result = await parseImport(format, typeof file === 'string' ? utf8(file) : file);
  expect(result.errors).toEqual([]);
  expect(result.skipped).toEqual([]);
  return result.records.map(({ entry }) => entry);
}

export async function expectProblem(work: Promise<unknown>, code: string): Promise<Problem> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Problem);
  expect((error as Problem).code).toBe(code);
  return error as Problem;
}
