import { relative } from 'node:path';
import { expect } from 'vitest';

/** The test file that runs, by its path from the root: for files that are loaded before each. */
export function testFile(): string {
  return relative(process.cwd(), expect.getState().testPath ?? '').replaceAll('\\', '/');
}
