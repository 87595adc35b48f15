import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { Profile } from '../../contract/accounts/profile.ts';
import type { MemberProfileRow } from '../../platform/store/tables/tables.ts';
import { unauthorized } from '../../shared/members/authenticate.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';

export { settings, updateSettings } from './profile/settings.ts';

export interface MemberStoreSettings {
  readonly autoReplication?: boolean | undefined;
  readonly minRedundancy?: number | undefined;
  readonly preferredRegions?: readonly string[] | undefined;
}

export async function profile(ctx: Context, actor: Actor): Promise<{ data: Profile }> {
  return { data: await profileOf(ctx, actor.memberId) };
}

/** Missing fields stay as they are. */
export async function updateProfile(
  ctx: Context,
  actor: Actor,
  input: { settings: MemberStoreSettings },
): Promise<{ data: Profile }> {
  const changes = columnsOf(input.settings);
  if (Object.keys(changes).length === 0) return await profile(ctx, actor);
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await tx.db.updateTable('member_profiles').set(changes).where('member_id', '=', actor.memberId).execute();
    await tx.db.updateTable('members').set({ updated_at: tx.clock.now() }).where('id', '=', actor.memberId).execute();
    return { data: await profileOf(tx, actor.memberId) };
  });
}

function columnsOf(settings: MemberStoreSettings): Partial<MemberProfileRow> {
  const { autoReplication, minRedundancy, preferredRegions } = settings;
  return {
    ...(autoReplication !== undefined && { auto_replication: autoReplication ? 1 : 0 }),
    ...(minRedundancy !== undefined && { min_redundancy: minRedundancy }),
    ...(preferredRegions !== undefined && { preferred_regions: JSON.stringify(preferredRegions) }),
  };
}

async function profileOf(ctx: Context, memberId: string): Promise<Profile> {
  const row = await ctx.db
    .selectFrom('members as m')
    .innerJoin('member_profiles as p', 'p.member_id', 'm.id')
    .innerJoin('energy_accounts as e', 'e.member_id', 'm.id')
    .leftJoin('member_storage as s', 's.member_id', 'm.id')
    .select(['m.username', 'm.email', 'm.created_at', 'm.updated_at'])
    .select(['e.balance', 'e.earned', 'e.spent', 'e.reserved', 'e.reputation', 'e.updated_at as energy_updated_at'])
    .select(['p.status', 's.bytes', 'p.last_active', 'p.created_at as profile_created_at'])
    .select(['p.auto_replication', 'p.min_redundancy', 'p.preferred_regions'])
    .where('m.id', '=', memberId)
    .executeTakeFirst();
  if (row === undefined) throw unauthorized();
  return {
    memberId,
    username: row.username,
    email: row.email,
    energyBalance: row.balance,
    availableBalance: row.balance - row.reserved,
    earned: row.earned,
    spent: row.spent,
    reserved: row.reserved,
    reputation: row.reputation,
    createdAt: new Date(row.created_at).toISOString(),
    lastUpdated: new Date(Math.max(row.updated_at, row.energy_updated_at)).toISOString(),
    profile: {
      status: row.status,
      storageQuota: String(ctx.config.storage.perMemberBytes),
      storageUsed: String(row.bytes ?? 0),
      lastActive: new Date(row.last_active).toISOString(),
      dateCreated: new Date(row.profile_created_at).toISOString(),
      settings: {
        autoReplication: row.auto_replication === 1,
        minRedundancy: row.min_redundancy,
        preferredRegions: JSON.parse(row.preferred_regions) as string[],
      },
    },
  };
}
