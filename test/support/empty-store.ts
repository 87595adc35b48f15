import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../src/platform/store/open.ts';
import { temporaryFolder } from './stores.ts';

/** Bytes of a store without rows, for tests that leave it little room. They are more with each table that there is. */
export async function emptyStore(): Promise<number> {
  await using folder = await temporaryFolder();
  await using _ = await openDatabase({ dataDir: folder.path, migrate: true });
  const sizes = (await readdir(folder.path)).map(async (name) => (await stat(join(folder.path, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
