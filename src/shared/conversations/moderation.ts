import { transaction, type Context } from '../../service/context.ts';
import type { SentEpoch } from '../../contract/chat/client-mode.ts';
import type { ChatRole } from '../../contract/chat/conversation.ts';
import { Problem } from '../../base/problem.ts';
import { onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import { ban as banFrom, unban as liftBan } from '../groups/banning.ts';
import { recordDeed } from '../groups/log.ts';
import { giveRole, handOver, leave as leaveRoom, remove, roleIn, takeOut } from '../groups/membership.ts';
import { mute as muteIn, unmute as unmuteIn } from '../groups/mutes.ts';
import type { RoomPermission } from '../groups/permissions.ts';
import { outranks } from '../groups/roles.ts';
import { tell } from './events.ts';
import { requireSeat, roomOf, type Seat } from './conversation.ts';
import { changingMembers } from './members.ts';
import { assertMayOwn, deleteRoom } from './rooms.ts';
import type { ManyType } from './types.ts';
import { requirePermission } from './voice.ts';

/** A member of a conversation about whom somebody decides. */
export interface Subject {
  readonly types: readonly ManyType[];
  readonly id: string;
  readonly subjectId: string;
}

interface Ban {
  /** how long it lasts, in milliseconds; without it until it is lifted */
  readonly durationMs?: number | undefined;
  readonly reason?: string | undefined;
}

function notInRoom(): Problem {
  return new Problem('missing', 'NOT_IN_ROOM', 'This member is not in the conversation.');
}

function outranked(): Problem {
  return new Problem('forbidden', 'FORBIDDEN', 'This member has the same role as you, or a higher one.');
}

function notOneself(what: string): Problem {
  return new Problem('forbidden', 'FORBIDDEN', `You cannot ${what} yourself.`);
}

interface Removing<T> {
  /** what the role of who removes must allow: removing is for who manages members, kicking for moderators too */
  readonly permission: RoomPermission;
  readonly ban?: Ban;
  readonly reason?: string | undefined;
  readonly epoch?: SentEpoch | undefined;
  /** what else goes with it, in its transaction, such as what its caller is answered */
  readonly and?: (tx: Context) => Promise<T>;
}

/**
 * Removes a member, and bans them if `ban` is given.
 * @returns what `and` returns; nothing without one
 * @throws Problem missing CONVERSATION_NOT_FOUND, NOT_IN_ROOM; forbidden FORBIDDEN
 */
export async function removeMember<T = undefined>(
  ctx: Context,
  by: string,
  { types, id, subjectId }: Subject,
  { permission, ban, reason, epoch, and }: Removing<T>,
): Promise<T> {
  const checked = async (at: Context): Promise<Seat> => {
    const seat = await requireSeat(at, { memberId: by }, types, id);
    requirePermission(seat, permission);
    if (subjectId === by) throw notOneself('remove');
    const role = await roleIn(at, roomOf(id), subjectId);
    if (role === undefined) throw notInRoom();
    if (!outranks(seat.role, role)) throw outranked();
    return seat;
  };
  return await changingMembers(
    ctx,
    { id, by, epoch },
    async (before) => ({ left: [subjectId], conversation: await checked(before) }),
    async (tx, changed) => {
      const seat = await checked(tx);
      if ((await remove(tx, roomOf(id), by, subjectId)) !== 'changed') throw outranked();
      await changed(seat, { left: [subjectId], reason: ban === undefined ? 'member_removed' : 'member_banned' });
      const action = permission === 'MANAGE_MEMBERS' ? 'remove' : 'kick';
      // A ban is recorded as what it is, and says it all.
      if (ban === undefined) await recordDeed(tx, roomOf(id), { by, action, subjectId, reason });
      await tell(tx, seat, 'memberKicked', { memberId: subjectId, kickedBy: by });
      if (ban !== undefined) await addBan(tx, seat, by, subjectId, ban);
      return (await and?.(tx)) as T;
    },
  );
}

async function addBan(
  tx: Context,
  seat: Seat,
  by: string,
  subjectId: string,
  { durationMs, reason }: Ban,
): Promise<number | null> {
  const wanted = durationMs === undefined ? undefined : tx.clock.now() + durationMs;
  const done = await banFrom(tx, roomOf(seat.id), { by, memberId: subjectId, reason, endsAt: wanted });
  if (done === undefined) throw outranked();
  const { endsAt } = done;
  await recordDeed(tx, roomOf(seat.id), { by, action: 'ban', subjectId, reason, endsAt });
  const until = endsAt === undefined ? null : new Date(endsAt).toISOString();
  await tell(tx, seat, 'memberBanned', { memberId: subjectId, bannedBy: by, until });
  return endsAt ?? null;
}

const known = writtenQuery<{ id: string }>('select id from members where id = $1');

/**
 * Keeps somebody out, who may be a member or none.
 * @returns until when, in milliseconds since 1970; null: until it is lifted
 * @throws Problem missing CONVERSATION_NOT_FOUND, MEMBER_NOT_FOUND; forbidden FORBIDDEN
 */
export async function banMember(
  ctx: Context,
  by: string,
  subject: Subject,
  { epoch, ...ban }: Ban & { readonly epoch?: SentEpoch | undefined },
): Promise<number | null> {
  const { types, id, subjectId } = subject;
  const checked = async (at: Context): Promise<{ readonly seat: Seat; readonly isMember: boolean }> => {
    const seat = await requireSeat(at, { memberId: by }, types, id);
    requirePermission(seat, 'KICK_MEMBERS');
    if (subjectId === by) throw notOneself('ban');
    if ((await at.db.executeQuery(known(subjectId))).rows.length === 0)
      throw new Problem('missing', 'MEMBER_NOT_FOUND', 'There is no such member.');
    const role = await roleIn(at, roomOf(id), subjectId);
    if (!outranks(seat.role, role)) throw outranked();
    return { seat, isMember: role !== undefined };
  };
  return await changingMembers(
    ctx,
    { id, by, epoch },
    async (before) => {
      const { seat, isMember } = await checked(before);
      return { left: isMember ? [subjectId] : [], conversation: seat };
    },
    async (tx, changed) => {
      const { seat, isMember } = await checked(tx);
      if (isMember) {
        await takeOut(tx, roomOf(id), subjectId);
        await changed(seat, { left: [subjectId], reason: 'member_banned' });
        await tell(tx, seat, 'memberKicked', { memberId: subjectId, kickedBy: by });
      }
      return await addBan(tx, seat, by, subjectId, ban);
    },
  );
}

/** @throws Problem missing CONVERSATION_NOT_FOUND, BAN_NOT_FOUND; forbidden FORBIDDEN */
export async function unbanMember(ctx: Context, by: string, { types, id, subjectId }: Subject): Promise<void> {
  await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, { memberId: by }, types, id);
    requirePermission(seat, 'KICK_MEMBERS');
    if (!(await liftBan(tx, roomOf(id), subjectId)))
      throw new Problem('missing', 'BAN_NOT_FOUND', 'This member is not banned.');
    await recordDeed(tx, roomOf(id), { by, action: 'unban', subjectId });
  });
}

/**
 * @returns until when, in milliseconds since 1970
 * @throws Problem missing CONVERSATION_NOT_FOUND, NOT_IN_ROOM; forbidden FORBIDDEN
 */
export async function muteMember(
  ctx: Context,
  by: string,
  { types, id, subjectId }: Subject,
  { durationMs, reason }: { readonly durationMs: number; readonly reason?: string | undefined },
): Promise<number> {
  return await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, { memberId: by }, types, id);
    requirePermission(seat, 'MUTE_MEMBERS');
    const endsAt = tx.clock.now() + durationMs;
    const muted = await muteIn(tx, roomOf(id), { by, memberId: subjectId, endsAt });
    if (muted === 'absent') throw notInRoom();
    if (muted === 'outranked') throw outranked();
    await recordDeed(tx, roomOf(id), { by, action: 'mute', subjectId, reason, endsAt });
    const until = new Date(endsAt).toISOString();
    await tell(tx, seat, 'memberMuted', { memberId: subjectId, mutedBy: by, durationMs, until });
    return endsAt;
  });
}

/** @throws Problem missing CONVERSATION_NOT_FOUND, NOT_IN_ROOM; forbidden FORBIDDEN */
export async function unmuteMember(ctx: Context, by: string, { types, id, subjectId }: Subject): Promise<void> {
  await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, { memberId: by }, types, id);
    requirePermission(seat, 'MUTE_MEMBERS');
    const role = await roleIn(tx, roomOf(id), subjectId);
    if (role === undefined) throw notInRoom();
    if (!outranks(seat.role, role)) throw outranked();
    if (!(await unmuteIn(tx, roomOf(id), subjectId))) return;
    await recordDeed(tx, roomOf(id), { by, action: 'unmute', subjectId });
    await tell(tx, seat, 'memberUnmuted', { memberId: subjectId, unmutedBy: by });
  });
}

/**
 * Gives a member a role. With `owner`, the owner hands over and is an admin.
 * @throws Problem missing CONVERSATION_NOT_FOUND, NOT_IN_ROOM; forbidden FORBIDDEN; conflict CONVERSATIONS_FULL
 */
export async function setMemberRole(
  ctx: Context,
  by: string,
  { types, id, subjectId }: Subject,
  role: ChatRole,
): Promise<void> {
  await transaction(ctx, async (tx) => {
    const seat = await requireSeat(tx, { memberId: by }, types, id);
    requirePermission(seat, 'MANAGE_ROLES');
    if (subjectId === by) throw notOneself('give a role to');
    const room = roomOf(id);
    const changed =
      role === 'owner'
        ? await handOver(tx, room, by, subjectId, 'admin')
        : await giveRole(tx, room, by, subjectId, role);
    if (changed === 'absent') throw notInRoom();
    if (changed === 'outranked') throw outranked();
    if (changed === 'same') return;
    if (role === 'owner') await assertMayOwn(tx, subjectId);
    await recordDeed(tx, room, { by, action: role === 'owner' ? 'hand_over' : 'role', subjectId, reason: role });
    await tell(tx, seat, 'roleChanged', { memberId: subjectId, role, changedBy: by });
    if (role === 'owner') await tell(tx, seat, 'roleChanged', { memberId: by, role: 'admin', changedBy: by });
  });
}

interface Leaving {
  /** whether an owner who leaves makes somebody else the owner: the highest of the others, and of these who has been there the longest */
  readonly handsOver?: boolean;
  /** what else goes with it, in its transaction. @param isGone whether it was deleted, because nobody else was in it */
  readonly and?: (tx: Context, seat: Seat, isGone: boolean) => Promise<void>;
}

/**
 * Leaves a conversation. The last one who leaves deletes it.
 * @throws Problem missing CONVERSATION_NOT_FOUND; forbidden FORBIDDEN, LAST_OWNER
 */
export async function leaveConversation(
  ctx: Context,
  memberId: string,
  { types, id }: Omit<Subject, 'subjectId'>,
  { handsOver = false, and }: Leaving = {},
): Promise<void> {
  const checked = async (at: Context): Promise<{ readonly seat: Seat; readonly isLast: boolean }> => {
    const seat = await requireSeat(at, { memberId }, types, id);
    const isLast = seat.member_count === 1;
    if (seat.role === 'owner' && !isLast && !handsOver)
      throw new Problem(
        'forbidden',
        'LAST_OWNER',
        'You own this conversation. Make another member the owner before you leave, or delete it.',
      );
    return { seat, isLast };
  };
  await changingMembers(
    ctx,
    { id, by: memberId },
    async (before) => {
      const { seat, isLast } = await checked(before);
      return { left: isLast ? [] : [memberId], conversation: seat };
    },
    async (tx, changed) => {
      const { seat, isLast } = await checked(tx);
      if (isLast) await deleteRoom(tx, seat);
      else {
        if (seat.role === 'owner') await handOverToHeir(tx, seat, memberId);
        if ((await leaveRoom(tx, roomOf(id), memberId)) !== 'left') throw notInRoom();
        await changed(seat, { left: [memberId], reason: 'member_left' });
        await tell(tx, seat, 'memberLeft', { memberId });
      }
      await and?.(tx, seat, isLast);
    },
  );
}

const heir = writtenQuery<{ member_id: string }>(`
  select r.member_id from room_members r join members m on m.id = r.member_id
  where r.kind = $1 and r.room_id = $2 and r.member_id <> $3
  order by case m.status when 'active' then 0 else 1 end,
    case r.role when 'admin' then 0 when 'moderator' then 1 else 2 end, r.joined_at, r.member_id limit 1`);

/** The highest of the others becomes the owner, and of these who has been there the longest; somebody suspended only if all are. */
export async function handOverToHeir(tx: Context, seat: Seat, ownerId: string): Promise<void> {
  const room = roomOf(seat.id);
  const { member_id: heirId } = onlyRow((await tx.db.executeQuery(heir(room.kind, room.id, ownerId))).rows);
  await handOver(tx, room, ownerId, heirId, 'member');
  await recordDeed(tx, room, { by: ownerId, action: 'hand_over', subjectId: heirId, reason: 'owner' });
  await tell(tx, seat, 'roleChanged', { memberId: heirId, role: 'owner', changedBy: ownerId });
}
