import { operatorId } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import { handOver, roleIn, takeOut } from '../../../rooms/membership.ts';
import { holdRoom } from '../../../rooms/room.ts';
import { roomOf } from '../hubs/access.ts';
import { membershipChanged } from '../hubs/changes.ts';
import { endHub } from '../hubs/hubs.ts';

/** Takes a member out of one hub after another. @returns undefined at the end */
export async function leaveHubsOf(tx: Context, memberId: string): Promise<string | undefined> {
  const next = await tx.db
    .selectFrom('room_members')
    .select('room_id')
    .where('kind', '=', 'hub')
    .where('member_id', '=', memberId)
    .orderBy('room_id')
    .limit(1)
    .executeTakeFirst();
  if (next === undefined) return await forgetInHubs(tx, memberId);
  const { room_id: hubId } = next;
  const room = roomOf(hubId);
  await holdRoom(tx, room);
  if ((await roleIn(tx, room, memberId)) === 'owner') {
    const heir = await heirOf(tx, hubId, memberId);
    if (heir === undefined) {
      await endHub(tx, hubId);
      return 'more';
    }
    await handOver(tx, room, memberId, heir, 'member');
    await tx.db.updateTable('social_hubs').set({ owner_id: heir }).where('id', '=', hubId).execute();
  }
  await takeOut(tx, room, memberId);
  await membershipChanged(tx, { hubId, left: [memberId] });
  return 'more';
}

/** The moderator who has been there for the longest time, or else the member. */
async function heirOf({ db }: Context, hubId: string, ownerId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('room_members')
    .select('member_id')
    .where('kind', '=', 'hub')
    .where('room_id', '=', hubId)
    .where('member_id', '!=', ownerId)
    .orderBy((e) => e.case().when('role', '=', 'member').then(1).else(0).end())
    .orderBy('joined_at')
    .orderBy('member_id')
    .limit(1)
    .executeTakeFirst();
  return row?.member_id;
}

/** Bans stay, so that leaving and joining again does not end them. */
async function forgetInHubs({ db }: Context, memberId: string): Promise<undefined> {
  await db.deleteFrom('social_hub_scores').where('member_id', '=', memberId).execute();
  await db.deleteFrom('social_hub_log').where('subject_id', '=', memberId).execute();
  const nobody = { moderator_id: operatorId };
  await db.updateTable('social_hub_log').set(nobody).where('moderator_id', '=', memberId).execute();
  await db.updateTable('social_hubs').set({ owner_id: operatorId }).where('owner_id', '=', memberId).execute();
}
