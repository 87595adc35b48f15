import { assertStillSignedIn } from '../../../members/still-signed-in.ts';
import type { Actor } from '../../../actor.ts';
import { transaction, type Context } from '../../../context.ts';
import type { PropertyRecord, VaultMetadata } from '../../../contract/passvault/entry.ts';
import { close, keepOpen, roleIn, type VaultKeys } from './access.ts';
import { record } from './audit.ts';
import { readProperties } from './pages.ts';
import { vaultNotFound, wrongPassword } from '../problems.ts';
import { recordOf } from './properties.ts';
import { openAsRecipient } from '../sharing/recipient-key.ts';
import { metadataOf } from '../entries/summaries.ts';
import { openMaster, unwrapDataKey } from './vault-key.ts';

export interface Opened {
  vault: { metadata: VaultMetadata; propertyRecords: PropertyRecord[] };
}

/** How often opening starts over because the vault was encrypted anew, or its password changed, meanwhile. */
const ATTEMPTS = 4;

/** @throws Problem missing VAULT_NOT_FOUND, unauthenticated INVALID_MASTER_PASSWORD */
export async function openVaultWith(
  ctx: Context,
  actor: Actor,
  { vaultId, masterPassword }: { vaultId: string; masterPassword: string },
): Promise<Opened> {
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const seen = await lockOf(ctx, actor, vaultId);
    const keys = await unlock(ctx, actor, seen, masterPassword);
    if (keys === undefined) throw wrongPassword();
    const opened = await transaction(ctx, async (tx) => {
      const now = await lockOf(tx, actor, vaultId);
      if (now.key_version !== seen.key_version || now.password_hash !== seen.password_hash) return undefined;
      await assertStillSignedIn(tx, actor);
      await keepOpen(tx, actor, vaultId, keys);
      await record(tx, actor, vaultId, 'VAULT_OPENED');
      return await metadataOf(tx, actor, vaultId);
    });
    if (opened === undefined) continue;
    const records = await readProperties(ctx, { id: vaultId, dataKey: keys.dataKey });
    return { vault: { metadata: opened, propertyRecords: records.map(recordOf) } };
  }
  throw wrongPassword();
}

export async function lockVault(
  ctx: Context,
  actor: Actor,
  { vaultId }: { vaultId: string },
): Promise<{ locked: true }> {
  return await transaction(ctx, async (tx) => {
    await roleIn(tx, actor, vaultId);
    await close(tx, actor, vaultId);
    return { locked: true };
  });
}

async function lockOf(ctx: Context, actor: Actor, vaultId: string) {
  const row = await ctx.db
    .selectFrom('passvault_members as m')
    .innerJoin('passvault_vaults as v', 'v.id', 'm.vault_id')
    .select(['m.role', 'm.wrapped_key as shared_key', 'v.id', 'v.key_version', 'v.wrapped_key', 'v.wrapped_seed'])
    .select(['v.password_hash', 'v.argon2_salt', 'v.memory_kib', 'v.passes', 'v.lanes'])
    .where('m.vault_id', '=', vaultId)
    .where('m.member_id', '=', actor.memberId)
    .executeTakeFirst();
  if (row === undefined) throw vaultNotFound();
  return row;
}

async function unlock(
  ctx: Context,
  actor: Actor,
  lock: Awaited<ReturnType<typeof lockOf>>,
  password: string,
): Promise<VaultKeys | undefined> {
  const keyVersion = lock.key_version;
  if (lock.shared_key !== null) {
    const dataKey = await openAsRecipient(ctx, actor, lock.id, lock.shared_key, password);
    return dataKey === undefined ? undefined : { dataKey, keyVersion, vaultKey: undefined };
  }
  const vaultKey = await openMaster(ctx, lock, password);
  return vaultKey === undefined ? undefined : { dataKey: unwrapDataKey(lock, vaultKey), keyVersion, vaultKey };
}
