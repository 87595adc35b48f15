import type { Actor } from '../../../actor.ts';
import { transaction, type Context } from '../../../context.ts';
import { assertSameKey, openOwnVault } from '../vaults/access.ts';
import { record } from '../vaults/audit.ts';
import { activeMembersNamed } from './named-members.ts';
import { fieldProblem } from '../../../problem.ts';
import { wrapForRecipient } from './recipient-key.ts';

/** Wraps the data key for each member. Who has the vault already keeps it. */
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
