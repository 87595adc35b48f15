import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { EmergencyAccess } from '../../../contract/passvault/emergency.ts';
import { requireOwner } from '../vaults/access.ts';
import { emergencyOf } from './emergency-epoch.ts';
import { noticesOf } from '../sharing/notices.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import type { Trusteeship } from '../../../contract/passvault/sharing.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';

const SECOND = 1_000;

/** @throws Problem missing VAULT_NOT_FOUND for every actor but the owner */
export async function showEmergencyAccess(
  ctx: Context,
  actor: Actor,
  { vaultId }: { vaultId: string },
): Promise<EmergencyAccess> {
  await requireOwner(ctx, actor, vaultId);
  const { epoch, threshold } = await emergencyOf(ctx, vaultId);
  const trustees = await ctx.db
    .selectFrom('passvault_trustees as t')
    .innerJoin('members as m', 'm.id', 't.trustee_id')
    .select(['m.id', 'm.username', 'm.status', 't.read_at'])
    .where('t.vault_id', '=', vaultId)
    .orderBy('m.username_key')
    .execute();
  const notices = (await noticesOf(ctx, actor.memberId)).get(vaultId) ?? [];
  return {
    configured: threshold !== undefined,
    epoch,
    ...(threshold !== undefined && { threshold }),
    trustees: trustees.map(({ id, username, status, read_at: readAt }) => {
      const trustee = { memberId: id, username, active: status === 'active' };
      return readAt === null ? trustee : Object.assign(trustee, { readAt: new Date(readAt).toISOString() });
    }),
    waitSeconds: Math.ceil(ctx.config.vaults.emergencyWaitMs / SECOND),
    requests: notices
      .filter(({ kind }) => kind === 'RECOVERY_REQUESTED')
      .map(({ memberId, username, at, endsAt = at }) => ({ memberId, username, requestedAt: at, endsAt })),
    recoveries: notices
      .filter(({ kind }) => kind === 'RECOVERED')
      .map(({ memberId, username, at }) => ({ memberId, username, recoveredAt: at })),
  };
}

/** Vaults whose present configuration names the actor, oldest first. Their names come with the share, which the audit log records. */
export async function listTrusteeships(
  ctx: Context,
  actor: Actor,
  page: PageRequest,
): Promise<{ trusteeships: Trusteeship[] } & Next> {
  const query = ctx.db
    .selectFrom('passvault_trustees as t')
    .innerJoin('passvault_emergency as e', 'e.vault_id', 't.vault_id')
    .innerJoin('passvault_vaults as v', 'v.id', 't.vault_id')
    .select(['t.vault_id as vaultId', 'v.owner_id as ownerId', 'e.epoch', 'e.threshold'])
    .where('t.trustee_id', '=', actor.memberId);
  const { rows, next } = await readPage(
    ctx,
    query,
    {
      list: 'passvault.list-trusteeships',
      memberId: actor.memberId,
      by: [asc('t.vault_id', (row) => row.vaultId)],
    },
    page,
  );
  const owners = await memberSummaries(
    ctx,
    rows.map((row) => row.ownerId),
  );
  const trusteeships = rows.map((row) =>
    Object.assign(row, { ownerUsername: owners.get(row.ownerId)?.username ?? '' }),
  );
  return { trusteeships, ...next };
}
