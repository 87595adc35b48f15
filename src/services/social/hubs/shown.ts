import type { Context } from '../../../service/context.ts';
import type { Hub } from '../../../contract/social/hub.ts';
import { membersWith } from '../../../shared/groups/membership.ts';
import { memberCounts } from '../../../shared/groups/room.ts';
import type { HubRow } from '../../../platform/store/tables/hubs.ts';
import { hubKind } from './access.ts';

/** Hubs as answers have them, in the given order. */
export async function shownHubs(ctx: Pick<Context, 'db'>, rows: readonly HubRow[]): Promise<Hub[]> {
  const ids = rows.map(({ id }) => id);
  const counts = await memberCounts(ctx, hubKind, ids);
  const moderators = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { room_id: id, member_id: memberId } of await membersWith(ctx, hubKind, ids, ['owner', 'moderator']))
    moderators.get(id)?.push(memberId);
  return rows.map((row) => ({
    _id: row.id,
    ownerId: row.owner_id,
    slug: row.slug ?? row.id,
    name: row.name,
    description: row.description,
    rules: row.rules,
    memberCount: counts.get(row.id) ?? 0,
    postCount: row.post_count,
    isDefault: row.is_default === 1,
    trustTier: row.trust_tier,
    moderatorIds: moderators.get(row.id) ?? [],
    parentHubId: row.parent_id,
    icon: row.icon,
    createdAt: new Date(row.created_at).toISOString(),
  }));
}

export async function shownHub(ctx: Pick<Context, 'db'>, row: HubRow): Promise<Hub> {
  const [hub] = await shownHubs(ctx, [row]);
  return hub as Hub;
}
