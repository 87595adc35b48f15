import { randomBytes } from 'node:crypto';
import { openDatabase } from '../../src/platform/store/open.ts';
import { openHouse, type House } from './house.ts';
import { createPostgresDatabase, temporaryFolder } from './stores.ts';

/** One node in two houses over one database of PostgreSQL, each with connections of its own, as two processes have them. */
export async function withTwoProcesses(body: (one: House, other: House) => Promise<void>): Promise<void> {
  await using shared = await createPostgresDatabase({ migrated: true });
  await using folder = await temporaryFolder();
  await using first = await openDatabase({ dataDir: folder.path, url: shared.url });
  await using second = await openDatabase({ dataDir: folder.path, url: shared.url });
  const secret = randomBytes(32);
  const open = async (store: typeof first) => await openHouse('sqljs', { secret, context: { store, db: store.db } });
  await using one = await open(first);
  await using other = await open(second);
  await body(one, other);
}
