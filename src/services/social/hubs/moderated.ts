import type { Context } from '../../../service/context.ts';
import { roleIn } from '../../../shared/groups/membership.ts';
import { isAtLeast } from '../../../shared/groups/roles.ts';
import { hubKind, roomOf } from './access.ts';

/** Whether a member is the owner or a moderator of a hub. A deleted hub has none. */
export async function moderates(ctx: Context, memberId: string, hubId: string): Promise<boolean> {
  return isAtLeast(await roleIn(ctx, roomOf(hubId), memberId), 'moderator');
}

/** A query for the ids of all hubs of which a member is the owner or a moderator. */
export function moderatedBy({ db }: Pick<Context, 'db'>, memberId: string) {
  return db
    .selectFrom('room_members')
    .select('room_id')
    .where('member_id', '=', memberId)
    .where('kind', '=', hubKind)
    .where('role', 'in', ['owner', 'moderator']);
}
