import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { EmergencyAccess } from '../../../contract/passvault/emergency.ts';
import { requireOwner } from '../vaults/access.ts';
import { emergencyOf } from './emergency-epoch.ts';
import { isoTime } from '../entries/iso-time.ts';
import { noticesOf } from '../sharing/notices.ts';

const SECOND = 1_000;

/** @throws Problem missing VAULT_NOT_FOUND for everybody but the owner */
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
      return readAt === null ? trustee : Object.assign(trustee, { readAt: isoTime(readAt) });
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
