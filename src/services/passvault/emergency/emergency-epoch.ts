import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { EmergencyChange } from '../../../contract/passvault/emergency.ts';
import { publicKeysOf, type KeyHolder } from '../../../shared/members/public-keys.ts';
import { eciesEncrypt } from '../../../crypto/ecies.ts';
import { sha256 } from '../../../crypto/hash.ts';
import { generateKeyPair } from '../../../crypto/key-pair.ts';
import { record } from '../vaults/audit.ts';
import { makeShares, shareContext, wrapForEmergency } from './emergency-key.ts';
import type { Sealer } from '../vaults/pages.ts';

/**
 * A share works in one epoch only. A new epoch with its own key pair begins when the set of people who may use shares changes, or when
 * shares were used. It begins in the same transaction, so shares handed over before open nothing afterwards.
 */
export interface NextEpoch {
  /** the epoch before this one; it applies to no other */
  readonly from: number;
  /** undefined if no emergency access is configured; then the transaction only checks that this is still so */
  readonly threshold: number | undefined;
  /** undefined if too few trustees are left, so emergency access ends */
  readonly key: { readonly publicKey: Uint8Array; readonly wrappedKey: Uint8Array } | undefined;
  readonly shares: readonly TrusteeShare[];
}

interface TrusteeShare {
  readonly trusteeId: string;
  readonly sealed: Uint8Array;
  readonly hash: Uint8Array;
}

/** @param from the epoch of the vault, as `emergencyOf` returns it */
export async function prepareEpoch(
  ctx: Context,
  vault: Sealer,
  from: number,
  threshold: number,
  trustees: readonly KeyHolder[],
): Promise<NextEpoch> {
  if (trustees.length < threshold) return { from, threshold, key: undefined, shares: [] };
  const epoch = from + 1;
  const { privateKey, publicKey } = generateKeyPair(ctx.random);
  const bare = await makeShares(privateKey, epoch, trustees.length, threshold);
  privateKey.fill(0);
  const shares = trustees.map(({ memberId, publicKey: theirs }, at) => {
    const share = bare[at] ?? new Uint8Array();
    const context = shareContext('share', vault.id, epoch, memberId);
    return {
      trusteeId: memberId,
      sealed: eciesEncrypt(theirs, share, context, 'basic', ctx.random),
      hash: hashOfShare(share),
    };
  });
  const wrappedKey = wrapForEmergency(ctx, vault.id, epoch, publicKey, vault.dataKey);
  return { from, threshold, key: { publicKey, wrappedKey }, shares };
}

/**
 * Reads the epoch of a vault and locks it until the end of the transaction. The lock makes a recovery, its denial and the start of a new
 * epoch run one after another.
 */
export async function holdEpoch(tx: Context, vaultId: string): Promise<number | undefined> {
  const row = await tx.db
    .updateTable('passvault_vaults')
    .set((e) => ({ emergency_epoch: e.ref('emergency_epoch') }))
    .where('id', '=', vaultId)
    .returning('emergency_epoch')
    .executeTakeFirst();
  return row?.emergency_epoch;
}

/** The same trustees and threshold in a new epoch. @param without a member who is no longer a trustee */
export async function prepareRenewal(ctx: Context, vault: Sealer, without?: string): Promise<NextEpoch> {
  const { epoch, threshold, trustees } = await emergencyOf(ctx, vault.id);
  if (threshold === undefined) return { from: epoch, threshold, key: undefined, shares: [] };
  const kept = await publicKeysOf(
    ctx,
    trustees.filter((memberId) => memberId !== without),
  );
  return await prepareEpoch(ctx, vault, epoch, threshold, kept);
}

/**
 * Begins the prepared epoch. Requests to recover in the epoch before it end.
 * @returns undefined if another epoch began since the preparation; nothing was changed then
 */
export async function applyEpoch(
  tx: Context,
  vaultId: string,
  next: NextEpoch,
): Promise<EmergencyChange | 'none' | undefined> {
  const { from, threshold, key, shares } = next;
  if (threshold === undefined) return (await emergencyOf(tx, vaultId)).epoch === from ? 'none' : undefined;
  const epoch = from + 1;
  const begun = await tx.db
    .updateTable('passvault_vaults')
    .set({ emergency_epoch: epoch })
    .where('id', '=', vaultId)
    .where('emergency_epoch', '=', from)
    .executeTakeFirst();
  if (begun.numUpdatedRows === 0n) return undefined;
  await tx.db.deleteFrom('passvault_trustees').where('vault_id', '=', vaultId).execute();
  await tx.db
    .deleteFrom('passvault_notices')
    .where('vault_id', '=', vaultId)
    .where('kind', 'in', ['RECOVERY_REQUESTED', 'EMERGENCY_ENDED'])
    .execute();
  if (key === undefined) {
    await tx.db.deleteFrom('passvault_emergency').where('vault_id', '=', vaultId).execute();
    return { state: 'ended', epoch, threshold, trustees: [] };
  }
  const kept = {
    epoch,
    threshold,
    public_key: key.publicKey,
    wrapped_key: key.wrappedKey,
    created_at: tx.clock.now(),
  };
  await tx.db
    .insertInto('passvault_emergency')
    .values({ vault_id: vaultId, ...kept })
    .onConflict((conflict) => conflict.column('vault_id').doUpdateSet(kept))
    .execute();
  await tx.db
    .insertInto('passvault_trustees')
    .values(
      shares.map(({ trusteeId, sealed, hash }) => ({
        vault_id: vaultId,
        trustee_id: trusteeId,
        epoch,
        encrypted_share: sealed,
        share_hash: hash,
        read_at: null,
      })),
    )
    .execute();
  return { state: 'renewed', epoch, threshold, trustees: shares.map(({ trusteeId }) => trusteeId).toSorted() };
}

/** Runs `applyEpoch` as a consequence of another action. The audit log also records that the shares must be read again. */
export async function renew(
  tx: Context,
  actor: Actor,
  vaultId: string,
  next: NextEpoch,
): Promise<EmergencyChange | 'none' | undefined> {
  const change = await applyEpoch(tx, vaultId, next);
  if (change === undefined || change === 'none') return change;
  const { state, epoch, threshold, trustees } = change;
  const action = state === 'renewed' ? 'EMERGENCY_RENEWED' : 'EMERGENCY_ENDED';
  await record(tx, actor, vaultId, action, { epoch, threshold, totalShares: trustees.length });
  return change;
}

export interface Emergency {
  /** keeps counting after emergency access has ended, so that no epoch number repeats */
  readonly epoch: number;
  /** undefined if emergency access isn't configured */
  readonly threshold: number | undefined;
  /** ids of the trustees, in sorted order */
  readonly trustees: readonly string[];
}

export async function emergencyOf(ctx: Context, vaultId: string): Promise<Emergency> {
  const row = await ctx.db
    .selectFrom('passvault_vaults as v')
    .leftJoin('passvault_emergency as e', 'e.vault_id', 'v.id')
    .select(['v.emergency_epoch', 'e.threshold'])
    .where('v.id', '=', vaultId)
    .executeTakeFirst();
  const trustees = await ctx.db
    .selectFrom('passvault_trustees')
    .select('trustee_id')
    .where('vault_id', '=', vaultId)
    .orderBy('trustee_id')
    .execute();
  return {
    epoch: row?.emergency_epoch ?? 0,
    threshold: row?.threshold ?? undefined,
    trustees: trustees.map((trustee) => trustee.trustee_id),
  };
}

/** Identifies a share without revealing it: a share has at least 32 random bytes, so its hash can't be guessed. */
export function hashOfShare(share: Uint8Array): Uint8Array {
  return sha256(share);
}
