import type { Context } from '../../service/context.ts';
import type { SentEpoch } from '../../contract/chat/client-mode.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { Problem } from '../../base/problem.ts';
import { drop, publish } from '../../platform/realtime/publish.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { ConversationRow } from '../../platform/store/tables/conversations.ts';
import { onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import { destroyRoomKeys } from '../group-keys/erase.ts';
import { recordDeed } from '../groups/log.ts';
import { joinAll, setRole, type NotJoined } from '../groups/membership.ts';
import { closeRoom, holdRoom, openRoom } from '../groups/room.ts';
import { memberSummaries } from '../members/summaries.ts';
import { notifyMany } from '../notifications/many.ts';
import { withdraw } from '../notifications/withdraw.ts';
import { assertMayBegin } from './begin.ts';
import { beginningWithKey, requireFreeId, type ClientBeginning } from './client-mode.ts';
import { erasingKind, tellDeleted, type Erasing } from './erasing.ts';
import { aboutConversation, tell } from './events.ts';
import {
  mostMembersOf,
  noConversation,
  otherOf,
  requireSeat,
  roomOf,
  topicOfConversation,
  topicOfInbox,
  type Seat,
} from './conversation.ts';
import { assertRoomForAll, beginConversation, changingMembers } from './members.ts';
import { conversationNoticeTypes } from './notices.ts';
import { requireAllReachable } from './reach.ts';
import { isSocial, rulesOf, type ManyType } from './types.ts';
import { requirePermission, requireVoice } from './voice.ts';

interface NewRoom {
  readonly type: ManyType;
  readonly ownerId: string;
  readonly name: string;
  readonly memberIds: readonly string[];
  /** of one that only its members can read */
  readonly client?: ClientBeginning | undefined;
}

/**
 * Creates a conversation of several members, in the transaction in which `work` says what its caller is answered.
 * @throws Problem missing MEMBER_NOT_FOUND; tooMany RATE_LIMITED; conflict ROOM_FULL, CONVERSATIONS_FULL, CONVERSATION_ID_TAKEN; those of
 *   `storeSentEpoch`
 */
export async function createRoom<T>(
  ctx: Context,
  { type, ownerId, name, memberIds, client }: NewRoom,
  work: (tx: Context, create: () => Promise<Seat>) => Promise<T>,
): Promise<T> {
  const others = othersAmong(ownerId, memberIds);
  await requireAllReachable(ctx, ownerId, others);
  const mode = client === undefined ? 'server' : 'client';
  if (others.length + 1 > mostMembersOf({ type, mode })) throw roomFull({ type, mode });
  const room = roomOf(client?.id ?? recordId(ctx.clock.now(), ctx.random));
  const members = [ownerId, ...others];
  return await beginningWithKey(
    ctx,
    { id: room.id, authorId: ownerId, members },
    client,
    async (tx, rotateNow) =>
      await work(tx, async () => {
        if (client !== undefined) await requireFreeId(tx, client);
        await requireAllReachable(tx, ownerId, others);
        const withStrangers = await assertMayBegin(tx, ownerId, others);
        await assertMayOwn(tx, ownerId);
        await assertRoomForAll(tx, ownerId, [ownerId, ...others]);
        await openRoom(tx, { ...room, ownerId });
        await joinAll(tx, room, others);
        const conversation = { type, mode, name, withStrangers } as const;
        const seat = await beginConversation(tx, room.id, conversation, [ownerId, ...others], rotateNow);
        await tellOfNew(tx, seat, [ownerId, ...others].toSorted());
        await notifyAdded(tx, seat, ownerId, others);
        return seat;
      }),
  );
}

async function tellOfNew(tx: Context, row: ConversationRow, memberIds: readonly string[]): Promise<void> {
  const about = aboutConversation(row);
  const created = { ...about, name: row.name ?? '', creatorId: row.created_by };
  for (const memberId of memberIds) {
    await publish(tx, topicOfInbox(memberId), chatEvents.added, about);
    if (!isSocial(row)) await publish(tx, topicOfInbox(memberId), chatEvents.groupCreated, created);
  }
}

async function notifyAdded(
  tx: Context,
  { id, name }: Pick<ConversationRow, 'id' | 'name'>,
  actorId: string,
  memberIds: readonly string[],
): Promise<void> {
  const actor = (await memberSummaries(tx, [actorId])).get(actorId)?.username ?? 'Somebody';
  const content = `${actor} added you to ${name ?? 'a conversation'}.`;
  await notifyMany(tx, memberIds, { type: 'room_added', actorId, targetId: id, content });
}

/** Duplicates and oneself do not count. */
function othersAmong(memberId: string, ids: readonly string[]): string[] {
  return [...new Set(ids)].filter((id) => id !== memberId);
}

const owned = writtenQuery<{ count: number }>(`
  select count(*) as count from room_members m join conversations c on c.id = m.room_id
  where m.kind = $1 and m.member_id = $2 and m.role = 'owner' and c.pair is null`);

/** @throws Problem conflict CONVERSATIONS_FULL */
export async function assertMayOwn(tx: Context, memberId: string): Promise<void> {
  const { count } = onlyRow((await tx.db.executeQuery(owned(roomOf('').kind, memberId))).rows);
  if (count < chatLimits.owned) return;
  const message = `One member owns at most ${chatLimits.owned} groups and channels.`;
  throw new Problem('conflict', 'CONVERSATIONS_FULL', message);
}

export function roomFull(conversation: Pick<ConversationRow, 'type' | 'mode'>): Problem {
  const message = `A ${rulesOf(conversation).noun} has at most ${mostMembersOf(conversation)} members. Nobody was added.`;
  return new Problem('conflict', 'ROOM_FULL', message);
}

async function refusal(tx: Context, seat: Seat, { why, who }: NotJoined): Promise<Problem> {
  if (why === 'full') return roomFull(seat);
  const names = await memberSummaries(tx, who);
  const listed = who.map((id) => names.get(id)?.username ?? id).join(', ');
  if (why === 'members')
    return new Problem('conflict', 'ALREADY_IN_ROOM', `Already in it: ${listed}. Nobody was added.`);
  if (why === 'banned')
    return new Problem(
      'conflict',
      'BANNED_FROM_ROOM',
      `Banned from it: ${listed}. Lift the ban first. Nobody was added.`,
    );
  return noConversation();
}

interface Adding {
  readonly types: readonly ManyType[];
  readonly id: string;
  readonly memberIds: readonly string[];
  readonly epoch?: SentEpoch | undefined;
}

/**
 * Adds members, all of them or none.
 * @param work calls its second argument to add them, in the transaction
 * @throws Problem missing CONVERSATION_NOT_FOUND, MEMBER_NOT_FOUND; forbidden FORBIDDEN; conflict ALREADY_IN_ROOM, BANNED_FROM_ROOM, ROOM_FULL,
 *   CONVERSATIONS_FULL
 */
export async function addMembers<T>(
  ctx: Context,
  memberId: string,
  { types, id, memberIds, epoch }: Adding,
  work: (tx: Context, add: () => Promise<readonly string[]>) => Promise<T>,
): Promise<T> {
  const others = othersAmong(memberId, memberIds);
  const checked = async (at: Context): Promise<Seat> => {
    const seat = await requireSeat(at, { memberId }, types, id);
    requirePermission(seat, rulesOf(seat).adding);
    await requireAllReachable(at, memberId, others);
    return seat;
  };
  return await changingMembers(
    ctx,
    { id, by: memberId, epoch },
    async (before) => {
      const conversation = await checked(before);
      // Where they find no room, no key is made for them.
      const hasRoom = conversation.member_count + others.length <= mostMembersOf(conversation);
      return { joined: hasRoom ? others : [], conversation };
    },
    async (tx, changed) => {
      const seat = await checked(tx);
      return await work(tx, async () => {
        if (others.length === 0) return [];
        await assertRoomForAll(tx, memberId, others);
        const refused = await joinAll(tx, roomOf(id), others, { most: mostMembersOf(seat) });
        if (refused !== undefined) throw await refusal(tx, seat, refused);
        await changed(seat, { joined: others, reason: 'member_added' });
        await tellOfJoined(tx, seat, memberId, others);
        return others;
      });
    },
  );
}

async function tellOfJoined(tx: Context, seat: Seat, by: string, memberIds: readonly string[]): Promise<void> {
  for (const memberId of memberIds) {
    await tell(tx, seat, 'memberJoined', { memberId, addedBy: by });
    await recordDeed(tx, roomOf(seat.id), { by, action: 'add', subjectId: memberId });
  }
  await notifyAdded(tx, seat, by, memberIds);
}

interface Promotion {
  readonly id: string;
  readonly memberIds: readonly string[];
  /** without it, the usernames of all */
  readonly name?: string | undefined;
  readonly epoch?: SentEpoch | undefined;
}

/**
 * Makes a group of a conversation of two, under the same id. The caller is its owner and the other one an admin; those who are added see what is
 * said from then on.
 * @throws Problem missing CONVERSATION_NOT_FOUND, MEMBER_NOT_FOUND; forbidden FORBIDDEN; conflict ROOM_FULL, CONVERSATIONS_FULL
 */
export async function promoteToGroup<T>(
  ctx: Context,
  memberId: string,
  { id, memberIds, name, epoch }: Promotion,
  work: (tx: Context, promote: () => Promise<Seat>) => Promise<T>,
): Promise<T> {
  const checked = async (at: Context): Promise<{ readonly seat: Seat; readonly others: readonly string[] }> => {
    const seat = await requireSeat(at, { memberId }, ['direct'], id);
    await requireVoice(at, seat, memberId);
    const others = othersAmong(memberId, memberIds).filter((one) => one !== otherOf(seat, memberId));
    await requireAllReachable(at, memberId, others);
    const group = { type: 'group', mode: seat.mode };
    if (others.length + 2 > mostMembersOf(group)) throw roomFull(group);
    return { seat, others };
  };
  return await changingMembers(
    ctx,
    { id, by: memberId, epoch },
    async (before) => {
      const { seat, others } = await checked(before);
      return { joined: others, conversation: seat };
    },
    async (tx, changed) => {
      const { seat, others } = await checked(tx);
      return await work(tx, async () => {
        const otherId = otherOf(seat, memberId);
        await assertMayOwn(tx, memberId);
        await assertRoomForAll(tx, memberId, others);
        const room = roomOf(id);
        await holdRoom(tx, room);
        await setRole(tx, room, otherId, 'admin');
        await joinAll(tx, room, others);
        const group = { type: 'group', pair: null, name: name ?? (await namesOf(tx, [memberId, otherId, ...others])) };
        // What the other one began does not count to who makes it a group.
        const isOwn = seat.created_by === memberId;
        const begun = { created_by: memberId, begun_with_strangers: isOwn ? seat.begun_with_strangers : 0 };
        await tx.db
          .updateTable('conversations')
          .set({ ...group, ...begun })
          .where('id', '=', id)
          .execute();
        const after: Seat = { ...seat, ...group, ...begun, role: 'owner' };
        if (others.length > 0) await changed(after, { joined: others, reason: 'member_added' });
        const about = { ...aboutConversation(after), name: group.name, creatorId: memberId };
        for (const one of [memberId, otherId, ...others].toSorted())
          await publish(tx, topicOfInbox(one), chatEvents.groupCreated, about);
        await tellOfJoined(tx, after, memberId, others);
        return after;
      });
    },
  );
}

async function namesOf(tx: Context, memberIds: readonly string[]): Promise<string> {
  const names = await memberSummaries(tx, memberIds);
  const all = memberIds.map((id) => names.get(id)?.username ?? id).join(', ');
  return all.length <= chatLimits.name ? all : `${all.slice(0, chatLimits.name - 1)}…`;
}

/**
 * Deletes a conversation for all. Its keys are destroyed in the same transaction; a job erases what was sealed under them. The caller has checked
 * the right to that.
 */
export async function deleteRoom(
  tx: Context,
  conversation: Pick<ConversationRow, 'id' | 'type' | 'name'>,
): Promise<void> {
  const { id } = conversation;
  const room = roomOf(id);
  const members = await closeRoom(tx, room);
  await destroyRoomKeys(tx, room);
  await drop(tx, topicOfConversation(id), 'everybody');
  // Of thousands the job tells, some at a time.
  const isLarge = members.length > chatLimits.groupMembers;
  if (!isLarge) {
    await tellDeleted(tx, conversation, members);
    await tx.db.deleteFrom('conversation_places').where('conversation_id', '=', id).execute();
  }
  for (const type of conversationNoticeTypes) await withdraw(tx, { targetId: id, type });
  for (const table of ['conversation_pins', 'conversation_mentions'] as const)
    await tx.db.deleteFrom(table).where('conversation_id', '=', id).execute();
  await tx.db.deleteFrom('room_log').where('room_id', '=', id).where('kind', '=', room.kind).execute();
  await tx.db.deleteFrom('conversations').where('id', '=', id).execute();
  const now = tx.clock.now();
  const { type, name } = conversation;
  const payload: Erasing = { id, ...(isLarge && { untold: { type, name } }) };
  await planJob(tx.db, { id: `${erasingKind}/${id}`, kind: erasingKind, payload, runAt: now, now });
}
