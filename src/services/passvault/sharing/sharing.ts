import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { assertSameKey, openOwnVault } from '../vaults/access.ts';
import { record } from '../vaults/audit.ts';
import { activeMembersNamed, recipientNamed } from './named-members.ts';
import { fieldProblem, type Problem } from '../../../base/problem.ts';
import { wrapForRecipient } from './recipient-key.ts';
import type { EmergencyChange } from '../../../contract/passvault/emergency.ts';
import { withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import { masterPasswordUnknown, overloaded } from '../problems.ts';
import { applyRekeying, prepareRekeying, type OwnVault, type Rekeying } from '../vaults/rekey.ts';

/** Wraps the data key for each member. Members who already have the vault keep it. */
export async function share(
  ctx: Context,
  actor: Actor,
  { vaultId, recipientMemberIds }: { vaultId: string; recipientMemberIds: string[] },
): Promise<{ shared: true; recipientMemberIds: string[] }> {
  const vault = await openOwnVault(ctx, actor, vaultId);
  const recipients = await activeMembersNamed(ctx, 'recipientMemberIds', recipientMemberIds);
  const ids = recipients.map(({ memberId }) => memberId);
  if (ids.includes(actor.memberId)) throw fieldProblem('recipientMemberIds', 'must not name the owner');
  const wraps = recipients.map((to) => ({ to, wrapped: wrapForRecipient(ctx, vaultId, to, vault.dataKey) }));
  await transaction(ctx, async (tx) => {
    await assertSameKey(tx, actor, vault);
    for (const { to, wrapped } of wraps) {
      const added = await tx.db
        .insertInto('passvault_members')
        .values({
          vault_id: vaultId,
          member_id: to.memberId,
          role: 'recipient',
          wrapped_key: wrapped,
          added_at: tx.clock.now(),
        })
        .onConflict((conflict) => conflict.columns(['vault_id', 'member_id']).doNothing())
        .executeTakeFirst();
      if (added.numInsertedOrUpdatedRows !== 0n)
        await record(tx, actor, vaultId, 'VAULT_SHARED', { recipientId: to.memberId });
    }
  });
  return { shared: true, recipientMemberIds: ids };
}

/** How often the revocation starts over because attachments or members changed meanwhile. */
const ATTEMPTS = 4;

/** Removes a member from a vault, and encrypts the whole vault with a new data key, in one transaction. */
export async function revokeShare(
  ctx: Context,
  actor: Actor,
  { vaultId, memberId: name }: { vaultId: string; memberId: string },
): Promise<{ revoked: true; memberId: string; emergencyAccess?: EmergencyChange }> {
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const old = await openWithMasterPassword(ctx, actor, vaultId);
    const memberId = await recipientNamed(ctx, vaultId, name);
    if (memberId === undefined) throw notShared();
    const rekeying = await prepareRekeying(ctx, old, memberId);
    const done = await commit(ctx, actor, rekeying, memberId);
    if (done !== undefined) return { revoked: true, memberId, ...(done !== 'none' && { emergencyAccess: done }) };
  }
  throw overloaded();
}

async function commit(
  ctx: Context,
  actor: Actor,
  rekeying: Rekeying,
  memberId: string,
): Promise<EmergencyChange | 'none' | undefined> {
  const { old } = rekeying;
  let done: EmergencyChange | 'none' | undefined;
  try {
    done = await transaction(ctx, async (tx) => {
      await assertSameKey(tx, actor, old);
      await assertRecipient(tx, old.id, memberId);
      await tx.db
        .deleteFrom('passvault_members')
        .where('vault_id', '=', old.id)
        .where('member_id', '=', memberId)
        .execute();
      const emergency = await applyRekeying(tx, actor, rekeying);
      if (emergency === undefined) throw new StartOver();
      await record(tx, actor, old.id, 'VAULT_SHARE_REVOKED', { recipientId: memberId });
      return emergency;
    });
    return done;
  } catch (error) {
    if (error instanceof StartOver) return undefined;
    throw error;
  } finally {
    if (done === undefined)
      await withdrawBlocks(
        ctx,
        [...rekeying.blocks.values()].map((block) => block.to),
      );
  }
}

/** Rolls back the transaction. */
class StartOver extends Error {}

async function openWithMasterPassword(ctx: Context, actor: Actor, vaultId: string): Promise<OwnVault> {
  const vault = await openOwnVault(ctx, actor, vaultId);
  const { vaultKey } = vault;
  // After emergency recovery the owner must set the master password first, because the new data key is wrapped with the vault key.
  if (vaultKey === undefined) throw masterPasswordUnknown();
  return { ...vault, vaultKey };
}

async function assertRecipient(ctx: Context, vaultId: string, memberId: string): Promise<void> {
  const row = await ctx.db
    .selectFrom('passvault_members')
    .select('role')
    .where('vault_id', '=', vaultId)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  if (row?.role !== 'recipient') throw notShared();
}

function notShared(): Problem {
  return fieldProblem('memberId', 'is not a member with whom the vault is shared');
}
