import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { buildProgram, buildThreads } from './bundle.ts';

/**
 * The path of a program of test/ in JavaScript, which is built once for all tests of the run: by whoever needs it first, and by two workers
 * that need it at once, of which one is thrown away.
 */
export async function sharedBundle(source: string): Promise<string> {
  const folder = join(inject('bundles'), source.replaceAll('/', '-'));
  if (!existsSync(folder)) {
    const made = `${folder}.${process.pid}`;
    await Promise.all([buildProgram(source, made), buildThreads(made)]);
    // Somebody was faster; what stays goes with the folder of the run.
    if (!existsSync(folder)) await rename(made, folder).catch(ignoreTaken);
  }
  return join(folder, 'program.js');
}

function ignoreTaken(error: unknown): void {
  if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
}
