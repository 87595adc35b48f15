import { assertStrongPassword } from '../../../shared/members/password-rules.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { dropSecretOfMember } from '../../../shared/members/session-secrets.ts';
import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { PassvaultVaultRow } from '../../../platform/store/tables/passvault.ts';
import { keepOpen, openingOf, openVault, requireOwner } from './access.ts';
import { record } from './audit.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { vaultNotFound, wrongPassword } from '../problems.ts';
import { unwrapSeed } from './sealing.ts';
import { newMaster, openMaster, unwrapDataKey, wrapDataKey } from './vault-key.ts';

/** Wraps the data key with the new password. Entries aren't encrypted again. */
export async function changeMasterPassword(
  ctx: Context,
  actor: Actor,
  input: { vaultId: string; masterPassword?: string | undefined; newMasterPassword: string },
): Promise<{ changed: true }> {
  const { vaultId } = input;
  await requireOwner(ctx, actor, vaultId);
  await assertStrongPassword('newMasterPassword', input.newMasterPassword, [actor.username]);
  const vault = await vaultRow(ctx, vaultId);
  const dataKey = await currentDataKey(ctx, actor, vault, input.masterPassword);
  const seed = unwrapSeed(ctx, vaultId, vault.wrapped_seed);
  const { columns, vaultKey } = await newMaster(ctx, vaultId, seed, input.newMasterPassword);
  const keyVersion = vault.key_version;
  await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireOwner(tx, actor, vaultId);
    const changed = await tx.db
      .updateTable('passvault_vaults')
      .set({ ...columns, wrapped_key: wrapDataKey(tx, vaultId, keyVersion, vaultKey, dataKey) })
      .where('id', '=', vaultId)
      // The update fails if another password change or a revocation came first.
      .where('password_hash', '=', vault.password_hash)
      .where('key_version', '=', keyVersion)
      .executeTakeFirst();
    if (changed.numUpdatedRows === 0n) throw wrongPassword();
    await dropSecretOfMember(tx, actor.memberId, openingOf(vaultId));
    await keepOpen(tx, actor, vaultId, { dataKey, keyVersion, vaultKey });
    await record(tx, actor, vaultId, 'MASTER_PASSWORD_CHANGED');
  });
  return { changed: true };
}

async function currentDataKey(
  ctx: Context,
  actor: Actor,
  vault: PassvaultVaultRow,
  password: string | undefined,
): Promise<Uint8Array> {
  if (password !== undefined) {
    const vaultKey = await openMaster(ctx, vault, password);
    if (vaultKey === undefined) throw wrongPassword();
    return unwrapDataKey(vault, vaultKey);
  }
  // An owner who has the data key but not the vault key used emergency recovery.
  const open = await openVault(ctx, actor, vault.id).catch(() => undefined);
  if (open === undefined || open.vaultKey !== undefined || open.keyVersion !== vault.key_version)
    throw fieldProblem('masterPassword', 'is missing, and the owner did not recover the vault in this session');
  return open.dataKey;
}

/** @throws Problem missing VAULT_NOT_FOUND */
export async function vaultRow(ctx: Context, vaultId: string): Promise<PassvaultVaultRow> {
  const row = await ctx.db.selectFrom('passvault_vaults').selectAll().where('id', '=', vaultId).executeTakeFirst();
  if (row === undefined) throw vaultNotFound();
  return row;
}
