import { writeFile } from 'node:fs/promises';
import { Problem } from '../../base/problem.ts';

/** Writes a file that must not exist yet. @throws Problem conflict FILE_EXISTS */
export async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Problem('conflict', 'FILE_EXISTS', `${path} exists already. It was not changed.`);
  }
}
