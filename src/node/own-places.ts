import { Problem } from '../base/problem.ts';
import { settleBlockFolder } from '../platform/store/blocks/folder-id.ts';
import { proveSharedFolder } from '../platform/store/blocks/shared-folder.ts';
import { checkErasureKeys } from '../services/node/checks.ts';
import { mailDomainProblem } from '../services/node/problems.ts';
import type { Engine } from './engine.ts';

/**
 * Makes sure that what lies beside the database belongs to it: the blocks and the erasure keys. What is missing is said in the log, and the
 * server goes on without.
 *
 * @returns ends with the server; undefined if no other process can serve the store
 * @throws Problem conflict BLOCKS_OF_OTHER_STORE, BLOCKS_NOT_SHARED; unavailable ERASURE_KEYS_STALE
 */
export async function ownPlaces({ context, databaseUrl }: Engine): Promise<AsyncDisposable | undefined> {
  const { store, config, blocks, random, clock, log, erasure } = context;
  const { dataDir } = config;
  const fault = await settleBlockFolder({ store, dataDir, blocks }, random);
  if (fault !== undefined) log.error('blocks are missing', { reason: fault });
  await erasure.check().catch(ifOnlyMissing);
  const keys = await checkErasureKeys(context);
  if (!keys.ok) log.error('files of the file vault cannot be opened', { reason: keys.detail });
  const domain = await mailDomainProblem(context);
  if (domain !== undefined) log.warn(domain);
  if (databaseUrl === undefined) return undefined;
  const onFault = (reason: string): void =>
    log.error('the folder of blocks is not that of the other servers', { reason });
  return await proveSharedFolder({ store, dataDir, clock, random, onFault });
}

/** Old keys open what was destroyed, so nobody gets to them. Without keys, everything else can go on. */
function ifOnlyMissing(error: unknown): void {
  if (!(error instanceof Problem) || error.code === 'ERASURE_KEYS_STALE') throw error;
}
