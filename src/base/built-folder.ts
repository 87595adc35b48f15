import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneFile } from './one-file.ts';

/**
 * The folder that the build made, dist/. The bundler may put this code at any depth below it, so it searches upwards. Undefined for a program
 * that runs from its sources, for one that is one file, and for one that is bundled without the program of its threads.
 */
export function builtFolder(): string | undefined {
  if (import.meta.url.endsWith('.ts') || oneFile() !== undefined) return undefined;
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'worker.js'))) {
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
  return folder;
}
