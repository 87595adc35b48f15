import { randomBytes } from 'node:crypto';
import { openDatabase } from '../../src/platform/store/open.ts';
import { openHouse, type House, type HouseOptions } from './house.ts';
import { createPostgresDatabase, temporaryFolder } from './stores.ts';

type Body = (one: House, other: House) => Promise<void>;

/** One node in two houses over one database of PostgreSQL, each with connections of its own, as two processes have them. */
export async function withTwoProcesses(body: Body): Promise<void> {
  await using shared = await createPostgresDatabase({ migrated: true });
  await withTwoProcessesOn(shared.url, body);
}

/** The same over a database that is there. Its connections are closed at the end. */
export async function withTwoProcessesOn(
  url: string,
  body: Body,
  options: Pick<HouseOptions, 'config'> = {},
): Promise<void> {
  await using folder = await temporaryFolder();
  await using first = await openDatabase({ dataDir: folder.path, url });
  await using second = await openDatabase({ dataDir: folder.path, url });
  const secret = randomBytes(32);
  const open = async (store: typeof first) =>
    await openHouse('sqljs', { ...options, secret, context: { store, db: store.db } });
  await using one = await open(first);
  await using other = await open(second);
  await body(one, other);
}
