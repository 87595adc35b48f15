import type { Context } from '../../service/context.ts';
import type { ChatMember, ChatRole } from '../../contract/chat/conversation.ts';
import { asc, readPage, type PageRequest } from '../../platform/store/page.ts';
import type { RoomMemberRow } from '../../platform/store/tables/rooms.ts';
import { memberSummaries } from '../members/summaries.ts';
import { roomOf } from './conversation.ts';

/** The members of a conversation with their roles, in the order of their ids. For conversations that are not large. */
export async function membersIn(ctx: Pick<Context, 'db'>, conversationId: string): Promise<ChatMember[]> {
  return await toMembers(ctx, await members(ctx.db, conversationId).orderBy('member_id').execute());
}

function members(db: Context['db'], conversationId: string) {
  const { kind, id } = roomOf(conversationId);
  return db.selectFrom('room_members').selectAll().where('kind', '=', kind).where('room_id', '=', id);
}

/** The same, a page at a time. @param list the operation that returns it */
export async function memberPage(
  ctx: Context,
  conversationId: string,
  { list, memberId, role }: { readonly list: string; readonly memberId: string; readonly role?: ChatRole | undefined },
  page: PageRequest,
): Promise<{ items: ChatMember[]; cursor: string | null; hasMore: boolean }> {
  const all = members(ctx.db, conversationId);
  const query = role === undefined ? all : all.where('role', '=', role);
  const by = [asc<RoomMemberRow>('member_id', (row) => row.member_id)];
  const listing = { list, memberId, filter: { conversation: conversationId, role }, by };
  const { rows, next } = await readPage(ctx, query, listing, page);
  return { items: await toMembers(ctx, rows), cursor: next.cursor ?? null, hasMore: next.hasMore };
}

async function toMembers(ctx: Pick<Context, 'db'>, rows: readonly RoomMemberRow[]): Promise<ChatMember[]> {
  const names = await memberSummaries(
    ctx,
    rows.map((row) => row.member_id),
  );
  return rows.map(({ member_id: memberId, role, joined_at: joinedAt }) => ({
    memberId,
    username: names.get(memberId)?.username ?? '',
    role,
    joinedAt: new Date(joinedAt).toISOString(),
  }));
}
