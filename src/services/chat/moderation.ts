import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { RoomType } from '../../contract/chat/conversation.ts';
import type { ChatBan, ChatDeed, moderation } from '../../contract/chat/moderation.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { desc, readPage } from '../../platform/store/page.ts';
import type { RoomBanRow, RoomLogRow } from '../../platform/store/tables/rooms.ts';
import { requireSeat, roomOf } from '../../shared/conversations/conversation.ts';
import { momentOf } from '../../shared/conversations/dto.ts';
import {
  banMember,
  muteMember,
  removeMember,
  unbanMember,
  unmuteMember,
} from '../../shared/conversations/moderation.ts';
import { requirePermission } from '../../shared/conversations/voice.ts';
import { deedsIn } from '../../shared/groups/log.ts';
import { memberSummaries } from '../../shared/members/summaries.ts';

type Contract = typeof moderation;

/** What moderators do in conversations of one type. */
function moderationOf(type: RoomType) {
  const types = [type];
  return {
    kick: async (
      ctx: Context,
      { memberId }: Actor,
      { conversationId: id, memberId: subjectId, ban, durationMs, reason, epoch }: InputOf<Contract['groupKick']>,
    ): Promise<{ kicked: true }> => {
      const how = { permission: 'KICK_MEMBERS', reason, epoch, ...(ban && { ban: { durationMs, reason } }) } as const;
      await removeMember(ctx, memberId, { types, id, subjectId }, how);
      return { kicked: true };
    },

    mute: async (
      ctx: Context,
      { memberId }: Actor,
      { conversationId: id, memberId: subjectId, durationMs, reason }: InputOf<Contract['groupMute']>,
    ): Promise<ReplyOf<Contract['groupMute']>> => {
      const until = await muteMember(ctx, memberId, { types, id, subjectId }, { durationMs, reason });
      return { muted: true, until: new Date(until).toISOString() };
    },

    unmute: async (
      ctx: Context,
      { memberId }: Actor,
      { conversationId: id, memberId: subjectId }: InputOf<Contract['groupUnmute']>,
    ): Promise<{ unmuted: true }> => {
      await unmuteMember(ctx, memberId, { types, id, subjectId });
      return { unmuted: true };
    },

    ban: async (
      ctx: Context,
      { memberId }: Actor,
      { conversationId: id, memberId: subjectId, ...ban }: InputOf<Contract['groupBan']>,
    ): Promise<ReplyOf<Contract['groupBan']>> => {
      return { banned: true, until: momentOf(await banMember(ctx, memberId, { types, id, subjectId }, ban)) };
    },

    unban: async (
      ctx: Context,
      { memberId }: Actor,
      { conversationId: id, memberId: subjectId }: InputOf<Contract['groupUnban']>,
    ): Promise<{ unbanned: true }> => {
      await unbanMember(ctx, memberId, { types, id, subjectId });
      return { unbanned: true };
    },

    bans: async (
      ctx: Context,
      actor: Actor,
      { conversationId, ...page }: InputOf<Contract['groupBans']>,
    ): Promise<ReplyOf<Contract['groupBans']>> => {
      requirePermission(await requireSeat(ctx, actor, types, conversationId), 'KICK_MEMBERS');
      const { kind, id } = roomOf(conversationId);
      const query = ctx.db
        .selectFrom('room_bans')
        .selectAll()
        .where('kind', '=', kind)
        .where('room_id', '=', id)
        .where((e) => e.or([e('ends_at', 'is', null), e('ends_at', '>', ctx.clock.now())]));
      const by = [desc<RoomBanRow>('id', (row) => row.id)];
      const listing = { list: `chat.${type}-bans`, memberId: actor.memberId, filter: { conversation: id }, by };
      const { rows, next } = await readPage(ctx, query, listing, page);
      const names = await namesOf(ctx, rows, (row) => [row.member_id, row.banned_by]);
      return { items: rows.map((row) => toBan(row, names)), cursor: next.cursor ?? null, hasMore: next.hasMore };
    },

    log: async (
      ctx: Context,
      actor: Actor,
      { conversationId, ...page }: InputOf<Contract['groupLog']>,
    ): Promise<ReplyOf<Contract['groupLog']>> => {
      requirePermission(await requireSeat(ctx, actor, types, conversationId), 'MUTE_MEMBERS');
      const by = [desc<RoomLogRow>('id', (row) => row.id)];
      const { memberId } = actor;
      const listing = { list: `chat.${type}-log`, memberId, filter: { conversation: conversationId }, by };
      const { rows, next } = await readPage(ctx, deedsIn(ctx, roomOf(conversationId), {}), listing, page);
      const names = await namesOf(ctx, rows, (row) => [row.actor_id, row.subject_id]);
      return { items: rows.map((row) => toDeed(row, names)), cursor: next.cursor ?? null, hasMore: next.hasMore };
    },
  };
}

type Names = (id: string | null) => string | null;

async function namesOf<Row>(
  ctx: Context,
  rows: readonly Row[],
  idsIn: (row: Row) => readonly (string | null)[],
): Promise<Names> {
  const ids = rows.flatMap((row) => idsIn(row).filter((id) => id !== null));
  const names = await memberSummaries(ctx, ids);
  return (id) => (id === null ? null : (names.get(id)?.username ?? null));
}

function toBan(row: RoomBanRow, nameOf: Names): ChatBan {
  return {
    memberId: row.member_id,
    username: nameOf(row.member_id),
    bannedBy: row.banned_by,
    bannedByName: nameOf(row.banned_by),
    reason: row.reason,
    bannedAt: new Date(row.banned_at).toISOString(),
    endsAt: momentOf(row.ends_at),
  };
}

function toDeed(row: RoomLogRow, nameOf: Names): ChatDeed {
  return {
    id: row.id,
    action: row.action as ChatDeed['action'],
    actorId: row.actor_id,
    actorName: nameOf(row.actor_id),
    subjectId: row.subject_id,
    subjectName: nameOf(row.subject_id),
    messageId: row.item_id,
    reason: row.reason,
    endsAt: momentOf(row.ends_at),
    createdAt: new Date(row.created_at).toISOString(),
  };
}

export const {
  kick: groupKick,
  mute: groupMute,
  unmute: groupUnmute,
  ban: groupBan,
  unban: groupUnban,
  bans: groupBans,
  log: groupLog,
} = moderationOf('group');

export const {
  kick: channelKick,
  mute: channelMute,
  unmute: channelUnmute,
  ban: channelBan,
  unban: channelUnban,
  bans: channelBans,
  log: channelLog,
} = moderationOf('channel');
