import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { topicName } from '../../../contract/event.ts';
import type { VaultNotice } from '../../../contract/passvault/entry.ts';
import { passvaultEvents, vaultsTopic } from '../../../contract/passvault/events.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { PassvaultNoticeRow } from '../../../platform/store/tables/passvault.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { requireOwner } from '../vaults/access.ts';

type Kind = PassvaultNoticeRow['kind'];

/** Notices for an owner, by vault, oldest first. */
export async function noticesOf(ctx: Context, ownerId: string): Promise<Map<string, VaultNotice[]>> {
  const { rows } = await ctx.db.executeQuery(findNotices(ownerId));
  const notices = new Map<string, VaultNotice[]>();
  for (const { vault_id: vaultId, kind, member_id: memberId, username, created_at: at, ends_at: end } of rows) {
    const notice = {
      kind,
      memberId,
      username,
      at: new Date(at).toISOString(),
      ...(end !== null && { endsAt: new Date(end).toISOString() }),
    };
    notices.set(vaultId, [...(notices.get(vaultId) ?? []), notice]);
  }
  return notices;
}

const findNotices = writtenQuery<PassvaultNoticeRow & { username: string }>(`
  select n.vault_id, n.kind, n.member_id, m.username, n.created_at, n.ends_at
  from passvault_notices n join members m on m.id = n.member_id
  where n.owner_id = $1 order by n.created_at, n.id`);

/** Leaves a notice for the owner of a vault, and tells the owner's sockets. Equal notices of one epoch are stored once. */
export async function leaveNotice(
  tx: Context,
  notice: { vaultId: string; ownerId: string; memberId: string; kind: Kind; epoch: number; endsAt?: number },
): Promise<void> {
  const now = tx.clock.now();
  const { vaultId, ownerId, memberId, kind, epoch, endsAt } = notice;
  const left = await tx.db
    .insertInto('passvault_notices')
    .values({
      id: recordId(now, tx.random),
      vault_id: vaultId,
      owner_id: ownerId,
      member_id: memberId,
      kind,
      epoch,
      created_at: now,
      ends_at: endsAt ?? null,
    })
    .onConflict((conflict) => conflict.columns(['vault_id', 'member_id', 'kind', 'epoch']).doNothing())
    .executeTakeFirst();
  if (left.numInsertedOrUpdatedRows === 0n) return;
  const { username } = await tx.db
    .selectFrom('members')
    .select('username')
    .where('id', '=', memberId)
    .executeTakeFirstOrThrow();
  await publish(tx, topicName(vaultsTopic, ownerId), passvaultEvents.notice, {
    vaultId,
    notice: {
      kind,
      memberId,
      username,
      at: new Date(now).toISOString(),
      ...(endsAt !== undefined && { endsAt: new Date(endsAt).toISOString() }),
    },
  });
}

/** Removes the notices after the owner has read them. Requests stay, because the owner must decide on them. */
export async function dismissNotices(
  ctx: Context,
  actor: Actor,
  { vaultId }: { vaultId: string },
): Promise<{ dismissed: number }> {
  return await transaction(ctx, async (tx) => {
    await requireOwner(tx, actor, vaultId);
    const gone = await tx.db
      .deleteFrom('passvault_notices')
      .where('vault_id', '=', vaultId)
      .where('kind', '!=', 'RECOVERY_REQUESTED')
      .executeTakeFirst();
    return { dismissed: Number(gone.numDeletedRows) };
  });
}
