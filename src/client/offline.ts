import type { LoadedConfig } from '../config/load.ts';
import type { CopyReport, CopyRequest } from '../services/node/copy.ts';
import type { RestoreReport, RestoreRequest } from '../services/node/restore.ts';
import type { VerifyBackupRequest } from '../services/node/verify-backup.ts';
import type { Check } from '../platform/store/verify.ts';
import type { MigrationReport } from '../platform/store/migrations.ts';

/** Selects a store by flags and the variables behind them. */
export interface StoreChoice {
  readonly dataDir?: string | undefined;
  readonly config?: string | undefined;
  readonly database?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** Work on the store of this machine while no server runs. It is therefore not an operation of the API. */

export async function restoreStore(choice: StoreChoice, request: RestoreRequest): Promise<RestoreReport> {
  const node = await import('../services/node/restore.ts');
  return await node.restoreStore(await loaded(choice), request);
}

export async function verifyBackup(request: VerifyBackupRequest): Promise<{ ok: boolean; checks: Check[] }> {
  const node = await import('../services/node/verify-backup.ts');
  return await node.verifyBackup(request);
}

export async function copyStore(choice: StoreChoice, request: CopyRequest): Promise<CopyReport> {
  const node = await import('../services/node/copy.ts');
  return await node.copyStore(await loaded(choice), request);
}

export async function migrateStore(choice: StoreChoice): Promise<MigrationReport> {
  const node = await import('../services/node/migrate.ts');
  return await node.migrateStore(await loaded(choice));
}

async function loaded({ dataDir, config, database, env }: StoreChoice): Promise<LoadedConfig> {
  const { loadConfig } = await import('../config/load.ts');
  return await loadConfig({ flags: { 'data-dir': dataDir, config, database }, env });
}
