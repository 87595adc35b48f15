import type { Context } from '../../service/context.ts';
import type { ConversationMode, SentEpoch } from '../../contract/chat/client-mode.ts';
import { chatEvents } from '../../contract/chat/events.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { RotationReason } from '../../contract/room-keys/fields.ts';
import { Problem } from '../../base/problem.ts';
import { drop, publish } from '../../platform/realtime/publish.ts';
import type { ConversationPlaceRow, ConversationRow } from '../../platform/store/tables/conversations.ts';
import { insertRows, writtenList } from '../../platform/store/written-query.ts';
import { admit, dismiss, rotateOnDemand } from '../group-keys/on-demand.ts';
import { dismissHolders, storeSentEpoch } from '../group-keys/member-epochs.ts';
import { rotatingSeveral, type ChangedMembers, type Rotation } from '../group-keys/rotate.ts';
import { hearFromNow } from '../groups/membership.ts';
import { withdraw } from '../notifications/withdraw.ts';
import { refuseEpoch, requireEpoch } from './client-mode.ts';
import { hasKeysOnDemand, isClientMode, roomOf, topicOfConversation, topicOfInbox, type Seat } from './conversation.ts';
import { aboutConversation, memberIdsOf } from './events.ts';
import { tellRotation } from './inbox.ts';
import { conversationNoticeTypes } from './notices.ts';
import { forgetThreads } from './threads/places.ts';
import type { ConversationType } from './types.ts';
import { endUnsent } from './unsent/ending.ts';

/** Who comes and who goes. */
export interface MemberChange {
  readonly joined?: readonly string[];
  readonly left?: readonly string[];
}

type Conversation = Pick<ConversationRow, 'id' | 'type' | 'mode' | 'last_seq' | 'history_visible' | 'open_from'>;

/** A change of who is in a conversation. */
interface Changing {
  readonly id: string;
  /** who makes it */
  readonly by: string;
  /** the next key, in a conversation that only members can read */
  readonly epoch?: SentEpoch | undefined;
}

/** Everything that goes with a change of who is in a conversation, in its transaction and after it is made. */
export type Changed = (
  conversation: Conversation,
  change: MemberChange & { readonly reason: RotationReason },
) => Promise<void>;

/**
 * Changes who is in a conversation, which gets a new key in the same transaction. Every way in which somebody comes or goes goes through here. The
 * key is made before, so everything begins again if others change the members meanwhile.
 * @param foresee says who will come and go, for whom has the right to that; nobody, if `change` is going to refuse
 * @param change makes the change, and calls its second argument once
 */
export async function changingMembers<T>(
  ctx: Context,
  { id: conversationId, by, epoch }: Changing,
  foresee: (
    ctx: Context,
  ) => Promise<MemberChange & { readonly conversation: Pick<Conversation, 'type' | 'mode' | 'history_visible'> }>,
  change: (tx: Context, changed: Changed) => Promise<T>,
): Promise<T> {
  const room = roomOf(conversationId);
  return await rotatingSeveral(
    ctx,
    async (before) => {
      const { joined = [], left = [], conversation } = await foresee(before);
      if (!isClientMode(conversation)) refuseEpoch(epoch);
      if (hasKeysOnDemand(conversation) || isClientMode(conversation)) return [];
      const there = await memberIdsOf(before, conversationId);
      const leaving = new Set(left);
      const members = [...new Set([...there, ...joined])].filter((id) => !leaving.has(id));
      const isSame = members.length === there.length && members.every((id) => there.includes(id));
      return isSame || members.length === 0 || members.length > chatLimits.groupMembers
        ? []
        : [{ room, members, historyVisible: conversation.history_visible === 1 }];
    },
    async (tx, rotateNow) =>
      await change(tx, async (conversation, { reason, ...who }) => {
        if (isClientMode(conversation))
          return await changeByClient(tx, conversation, { reason, ...who }, { by, sent: epoch });
        if (hasKeysOnDemand(conversation)) return await changeOnDemand(tx, conversation, { reason, ...who });
        const members = await memberIdsOf(tx, conversationId);
        const historyVisible = conversation.history_visible === 1;
        // The key comes first: a message waits for it, or is waited for, before anything else of the conversation is locked.
        const rotation = members.length === 0 ? undefined : await rotateNow(room, { members, historyVisible, reason });
        await tellOf(tx, conversation, who, rotation);
      }),
  );
}

/**
 * The same where only members have the keys. Somebody is added with the next key; whoever goes without it takes effect at once, and nothing more is
 * sealed under the key that they have. Who comes by themselves waits for the key.
 */
async function changeByClient(
  tx: Context,
  conversation: Conversation,
  { joined = [], left = [], reason }: MemberChange & { readonly reason: RotationReason },
  { by, sent }: { readonly by: string; readonly sent: SentEpoch | undefined },
): Promise<void> {
  const room = roomOf(conversation.id);
  if (sent === undefined) {
    if (joined.length > 0) requireEpoch(sent);
    await dismissHolders(tx, room, left);
    await tellOf(tx, conversation, { left }, undefined);
    return;
  }
  const members = await memberIdsOf(tx, conversation.id);
  const rotation = await storeSentEpoch(tx, room, { authorId: by, sent, members, joined, reason });
  await tellOf(tx, conversation, { joined, left }, rotation);
}

/** Somebody comes by themselves into a conversation that only members can read. Nobody of them has given them the key. */
export async function comeWithoutKey(tx: Context, conversation: Conversation, memberId: string): Promise<void> {
  await tellOf(tx, conversation, { joined: [memberId] }, undefined);
}

/** The same where keys are encrypted when members ask for them: those who come need no new key if they may read what was said before. */
export async function changeOnDemand(
  tx: Context,
  conversation: Conversation,
  { joined = [], left = [], reason }: MemberChange & { readonly reason: RotationReason },
): Promise<void> {
  const room = roomOf(conversation.id);
  const historyVisible = conversation.history_visible === 1;
  await dismiss(tx, room, left);
  const isNew = left.length > 0 || !historyVisible;
  const rotation = isNew ? await rotateOnDemand(tx, room, { historyVisible, reason }) : undefined;
  await admit(tx, room, joined, { historyVisible });
  await tellOf(tx, conversation, { joined, left }, rotation);
}

async function tellOf(
  tx: Context,
  conversation: Conversation,
  { joined = [], left = [] }: MemberChange,
  rotation: Rotation | undefined,
): Promise<void> {
  const topic = topicOfConversation(conversation.id);
  const about = aboutConversation(conversation);
  await leavePlaces(tx, conversation, left);
  await takePlaces(tx, conversation, joined);
  if (left.length > 0) await drop(tx, topic, left);
  for (const memberId of left.toSorted()) {
    for (const type of conversationNoticeTypes)
      await withdraw(tx, { targetId: conversation.id, type, recipientId: memberId });
    await publish(tx, topicOfInbox(memberId), chatEvents.removed, about);
  }
  await endUnsent(tx, conversation.id, left);
  if (rotation !== undefined) await tellRotation(tx, conversation, rotation);
  await hearFromNow(tx, roomOf(conversation.id), joined, topic);
  for (const memberId of joined.toSorted()) await publish(tx, topicOfInbox(memberId), chatEvents.added, about);
}

interface NewConversation {
  readonly type: ConversationType;
  readonly mode?: ConversationMode;
  /** what identifies a conversation of two */
  readonly pair?: string;
  readonly request?: 'pending' | undefined;
  /** what `assertMayBegin` answered; false for one that others come into later */
  readonly withStrangers: boolean;
  readonly name?: string;
  /** of a channel */
  readonly channel?: Pick<ConversationRow, 'name_key' | 'topic' | 'visibility' | 'history_visible'>;
}

/**
 * Makes a conversation of a room whose members are in it, with their places and its first key.
 * @param members ids, the first one is who makes it
 * @returns the seat of that one, who owns it
 */
export async function beginConversation(
  tx: Context,
  id: string,
  { type, mode = 'server', pair, name, channel, request, withStrangers }: NewConversation,
  members: readonly [string, ...string[]],
  rotateNow: (now: ChangedMembers) => Promise<Rotation>,
): Promise<Seat> {
  const now = tx.clock.now();
  const row: ConversationRow = {
    id,
    type,
    mode,
    pair: pair ?? null,
    name: name ?? null,
    name_key: null,
    topic: null,
    visibility: null,
    history_visible: 0,
    open_from: 0,
    search_epoch: null,
    search_key: null,
    ...channel,
    created_by: members[0],
    created_at: now,
    begun_with_strangers: withStrangers ? 1 : 0,
    last_seq: 0,
    active_at: now,
    told_at: 0,
    noticed_seq: 0,
    request: request ?? null,
    picture_id: null,
    changed_at: 0,
    slow_seconds: 0,
    retention_ms: null,
    erased_seq: 0,
  };
  await insertRows(tx.db, 'conversations', [row]);
  await takePlaces(tx, row, members);
  await rotateNow({ members, historyVisible: row.history_visible === 1, reason: 'created' });
  const { conversation_id: _, member_id: __, ...place } = newPlace(id, members[0], { joined: 0, read: 0 });
  return { ...row, ...place, role: 'owner', member_count: members.length };
}

const joining = `on conflict (conversation_id, member_id) do update set
  joined_seq = excluded.joined_seq, left_seq = null, read_seq = excluded.read_seq, archived = 0, pinned = 0, closed = 0`;

/** Whoever comes back sees as much as somebody who comes for the first time. */
async function takePlaces(tx: Context, conversation: Conversation, memberIds: readonly string[]): Promise<void> {
  const { id, last_seq: lastSeq, history_visible: visible, open_from: openFrom } = conversation;
  const rows = memberIds.map((memberId) =>
    newPlace(id, memberId, { joined: visible === 1 ? openFrom : lastSeq, read: lastSeq }),
  );
  await insertRows(tx.db, 'conversation_places', rows, joining);
}

function newPlace(
  conversationId: string,
  memberId: string,
  { joined, read }: { readonly joined: number; readonly read: number },
): ConversationPlaceRow {
  return {
    conversation_id: conversationId,
    member_id: memberId,
    joined_seq: joined,
    left_seq: null,
    cleared_seq: 0,
    read_seq: read,
    read_at: null,
    level: null,
    muted_until: null,
    pinned: 0,
    archived: 0,
    busy_until: 0,
    spoke_at: 0,
    closed: 0,
  };
}

async function leavePlaces(
  tx: Context,
  { id, last_seq: lastSeq }: Conversation,
  memberIds: readonly string[],
): Promise<void> {
  if (memberIds.length === 0) return;
  await tx.db
    .updateTable('conversation_places')
    .set({ left_seq: lastSeq })
    .where('conversation_id', '=', id)
    .where('member_id', 'in', memberIds)
    .execute();
  await forgetThreads(tx, id, memberIds);
}

const full = writtenList<{ member_id: string }>(
  0,
  (ids) => `
  select member_id from conversation_places where left_seq is null and member_id in ${ids}
  group by member_id having count(*) >= ${chatLimits.conversations}`,
);

/** @throws Problem conflict CONVERSATIONS_FULL if one of them is in as many conversations as is possible */
export async function assertRoomForAll(tx: Context, actorId: string, memberIds: readonly string[]): Promise<void> {
  if (memberIds.length === 0) return;
  const { rows } = await tx.db.executeQuery(full(memberIds));
  if (rows.length === 0) return;
  const whose = rows.some((row) => row.member_id === actorId) ? 'You are' : 'A member is';
  const message = `${whose} in ${chatLimits.conversations} conversations, and more are not possible.`;
  throw new Problem('conflict', 'CONVERSATIONS_FULL', message);
}
