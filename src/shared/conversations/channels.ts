import { transaction, type Context } from '../../service/context.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import type { ChannelVisibility } from '../../contract/chat/conversation.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import { publish } from '../../platform/realtime/publish.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { ConversationRow } from '../../platform/store/tables/conversations.ts';
import { isUniqueViolation } from '../../platform/store/violation.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { storeSentEpoch } from '../group-keys/member-epochs.ts';
import { admit, rotateOnDemand } from '../group-keys/on-demand.ts';
import type { Redeemed } from '../groups/invites.ts';
import { join } from '../groups/membership.ts';
import { openRoom, type Room } from '../groups/room.ts';
import { requireFreeId, type ClientBeginning } from './client-mode.ts';
import {
  isClientMode,
  isSecret,
  mostMembersOf,
  noConversation,
  roomOf,
  topicOfConversation,
  topicOfInbox,
} from './conversation.ts';
import type { Seat } from './conversation.ts';
import { aboutConversation } from './events.ts';
import { channelById, channelNameKey, type ChannelRow } from './find-channel.ts';
import { assertRoomForAll, beginConversation, changeOnDemand, comeWithoutKey } from './members.ts';
import { assertMayOwn, roomFull } from './rooms.ts';

interface NewChannel {
  readonly name: string;
  readonly topic: string;
  readonly visibility: ChannelVisibility;
  /** default: true, and false in one that only its members can read, where it must be */
  readonly historyVisible: boolean | undefined;
  readonly client?: ClientBeginning | undefined;
}

/**
 * Creates a channel, in the transaction in which `work` says what its caller is answered.
 * @throws Problem conflict CHANNEL_NAME_TAKEN, CONVERSATIONS_FULL, CONVERSATION_ID_TAKEN; those of `storeSentEpoch`
 */
export async function createChannel<T>(
  ctx: Context,
  ownerId: string,
  { name, topic, visibility, historyVisible: wanted, client }: NewChannel,
  work: (tx: Context, create: () => Promise<Seat>) => Promise<T>,
): Promise<T> {
  const mode = client === undefined ? 'server' : 'client';
  const historyVisible = wanted ?? mode === 'server';
  if (historyVisible) requireHistoryOfNode({ mode });
  const room = roomOf(client?.id ?? recordId(ctx.clock.now(), ctx.random));
  const nameKey = channelNameKey(name);
  const channel = { name_key: nameKey, topic, visibility, history_visible: historyVisible ? 1 : 0 };
  return await withOwnName(
    ctx,
    async (tx) =>
      await work(tx, async () => {
        if (client !== undefined) await requireFreeId(tx, client);
        await requireFreeName(tx, nameKey);
        await assertMayOwn(tx, ownerId);
        await assertRoomForAll(tx, ownerId, [ownerId]);
        await openRoom(tx, { ...room, ownerId });
        const seat = await beginConversation(
          tx,
          room.id,
          { type: 'channel', mode, name, channel, withStrangers: false },
          [ownerId],
          async (now) => {
            const { members, reason } = now;
            if (client !== undefined)
              return await storeSentEpoch(tx, room, { authorId: ownerId, sent: client.epoch, members, reason });
            const rotation = await rotateOnDemand(tx, room, now);
            await admit(tx, room, [ownerId], now);
            return rotation;
          },
        );
        await publish(tx, topicOfInbox(ownerId), chatEvents.added, aboutConversation(seat));
        return seat;
      }),
  );
}

/** Of a conversation that only members can read, nobody can give newcomers the keys of before. @throws Problem invalid VALIDATION_ERROR */
export function requireHistoryOfNode(conversation: Pick<ConversationRow, 'mode'>): void {
  if (isClientMode(conversation))
    throw fieldProblem(
      'historyVisibleToNewMembers',
      'must be false in mode client: newcomers get the key of what follows',
    );
}

const named = writtenQuery<{ id: string }>('select id from conversations where name_key = $1');

/** @throws Problem conflict CHANNEL_NAME_TAKEN, which does not say by what: the channel may be one that nobody may know of */
export async function requireFreeName({ db }: Pick<Context, 'db'>, nameKey: string): Promise<void> {
  if ((await db.executeQuery(named(nameKey))).rows.length > 0) throw nameTaken();
}

function nameTaken(): Problem {
  return new Problem('conflict', 'CHANNEL_NAME_TAKEN', 'This name is taken. Choose another one.');
}

/** A transaction that gives a channel a name. Of two at once with the same name the second is refused. */
export async function withOwnName<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  try {
    return await transaction(ctx, work);
  } catch (error) {
    if (isUniqueViolation(error, 'name_key')) throw nameTaken();
    throw error;
  }
}

/**
 * Makes somebody a member of a public channel.
 * @throws Problem missing CONVERSATION_NOT_FOUND; forbidden FORBIDDEN; conflict ALREADY_IN_ROOM, ROOM_FULL, CONVERSATIONS_FULL
 */
export async function joinChannel(ctx: Context, memberId: string, id: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const channel = await channelById(tx, memberId, id);
    if (channel === undefined || (channel.reader === null && isSecret(channel))) throw noConversation();
    if (channel.reader !== null) throw alreadyIn();
    if (channel.visibility !== 'public')
      throw new Problem('forbidden', 'FORBIDDEN', 'This channel is private. Its owner and its admins can invite you.');
    const joined = await enter(tx, channel, memberId, async (room, most) => await join(tx, room, memberId, { most }));
    if (joined === 'missing' || joined === 'over') throw noConversation();
  });
}

export function alreadyIn(): Problem {
  return new Problem('conflict', 'ALREADY_IN_ROOM', 'You are in this channel already.');
}

/**
 * Lets somebody into a channel, in a transaction.
 * @param join makes them a member of its room
 * @returns what kept them out, if it is something about how they came
 * @throws Problem forbidden FORBIDDEN; conflict ALREADY_IN_ROOM, ROOM_FULL, CONVERSATIONS_FULL
 */
export async function enter(
  tx: Context,
  channel: ChannelRow,
  memberId: string,
  joining: (room: Room, most: number) => Promise<Redeemed>,
): Promise<'joined' | 'missing' | 'over'> {
  await assertRoomForAll(tx, memberId, [memberId]);
  const joined = await joining(roomOf(channel.id), mostMembersOf(channel));
  if (joined === 'member') throw alreadyIn();
  if (joined === 'banned') throw new Problem('forbidden', 'FORBIDDEN', 'You are banned from this channel.');
  if (joined === 'full') throw roomFull(channel);
  if (joined !== 'joined') return joined;
  if (isClientMode(channel)) await comeWithoutKey(tx, channel, memberId);
  else await changeOnDemand(tx, channel, { joined: [memberId], reason: 'member_added' });
  const about = { ...aboutConversation(channel), memberId, addedBy: memberId };
  await publish(tx, topicOfConversation(channel.id), chatEvents.memberJoined, about);
  return joined;
}
