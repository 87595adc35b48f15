import type { Actor } from '../actor.ts';
import { transaction, type Context } from '../context.ts';
import { fromHex } from '../crypto/bytes.ts';
import { assertSameKey, openOwnVault } from './access.ts';
import { record } from './audit.ts';
import { invalidField } from './problems.ts';
import { wrapForRecipient, type Recipient } from './recipient-key.ts';

/** Wraps the data key for each member. Who has the vault already keeps it. */
export async function share(
  ctx: Context,
  actor: Actor,
  { vaultId, recipientMemberIds }: { vaultId: string; recipientMemberIds: string[] },
): Promise<{ shared: true }> {
  const vault = await openOwnVault(ctx, actor, vaultId);
  if (recipientMemberIds.includes(actor.memberId)) throw invalidField('recipientMemberIds', 'names the owner');
  const recipients = await membersOf(ctx, 'recipientMemberIds', recipientMemberIds);
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
  return { shared: true };
}

/** @throws Problem invalid VALIDATION_ERROR when one of them isn't an active member */
export async function membersOf(ctx: Context, field: string, ids: readonly string[]): Promise<Recipient[]> {
  const rows = await ctx.db
    .selectFrom('members')
    .select(['id', 'public_key'])
    .where('id', 'in', ids)
    .where('status', '=', 'active')
    .execute();
  const keys = new Map(rows.map((row) => [row.id, fromHex(row.public_key)]));
  return ids.map((memberId, at) => {
    const publicKey = keys.get(memberId);
    if (publicKey === undefined) throw invalidField(`${field}.${at}`, 'is no active member');
    return { memberId, publicKey };
  });
}
