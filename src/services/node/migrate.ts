import type { MigrationReport } from '../../platform/store/migrations.ts';
import { migrateStore as migrateAt } from '../../platform/store/migrate-store.ts';
import { configuredPlace, type Loaded } from './store-place.ts';

/**
 * Brings the configured store up to date.
 *
 * @throws Problem missing STORE_MISSING | conflict STORE_IN_USE | conflict STORE_TOO_NEW
 */
export async function migrateStore(
  loaded: Loaded,
  { command = 'conclave admin store migrate' } = {},
): Promise<MigrationReport> {
  const { dataDir, url } = configuredPlace(loaded);
  return await migrateAt({ dataDir, url, command });
}
