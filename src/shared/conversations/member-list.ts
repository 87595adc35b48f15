import type { Context } from '../../service/context.ts';
import type { ChatMember, ChatRole } from '../../contract/chat/conversation.ts';
import { toHex } from '../../crypto/bytes.ts';
import { asc, readPage, type PageRequest } from '../../platform/store/page.ts';
import type { ConversationRow } from '../../platform/store/tables/conversations.ts';
import type { RoomMemberRow } from '../../platform/store/tables/rooms.ts';
import { keyHolders } from '../group-keys/member-epochs.ts';
import { publicKeysOf } from '../members/public-keys.ts';
import { memberSummaries } from '../members/summaries.ts';
import { isClientMode, roomOf } from './conversation.ts';

type Conversation = Pick<ConversationRow, 'id' | 'mode'>;

/** The members of a conversation with their roles, in the order of their ids. For conversations that are not large. */
export async function membersIn(ctx: Pick<Context, 'db'>, conversation: Conversation): Promise<ChatMember[]> {
  return await toMembers(ctx, conversation, await members(ctx.db, conversation.id).orderBy('member_id').execute());
}

function members(db: Context['db'], conversationId: string) {
  const { kind, id } = roomOf(conversationId);
  return db.selectFrom('room_members').selectAll().where('kind', '=', kind).where('room_id', '=', id);
}

/** The same, a page at a time. @param list the operation that returns it */
export async function memberPage(
  ctx: Context,
  conversation: Conversation,
  { list, memberId, role }: { readonly list: string; readonly memberId: string; readonly role?: ChatRole | undefined },
  page: PageRequest,
): Promise<{ items: ChatMember[]; cursor: string | null; hasMore: boolean }> {
  const all = members(ctx.db, conversation.id);
  const query = role === undefined ? all : all.where('role', '=', role);
  const by = [asc<RoomMemberRow>('member_id', (row) => row.member_id)];
  const listing = { list, memberId, filter: { conversation: conversation.id, role }, by };
  const { rows, next } = await readPage(ctx, query, listing, page);
  return { items: await toMembers(ctx, conversation, rows), cursor: next.cursor ?? null, hasMore: next.hasMore };
}

async function toMembers(
  ctx: Pick<Context, 'db'>,
  conversation: Conversation,
  rows: readonly RoomMemberRow[],
): Promise<ChatMember[]> {
  const ids = rows.map((row) => row.member_id);
  const names = await memberSummaries(ctx, ids);
  const keys = isClientMode(conversation) ? await keysOf(ctx, conversation, ids) : undefined;
  return rows.map(({ member_id: memberId, role, joined_at: joinedAt }) => ({
    memberId,
    username: names.get(memberId)?.username ?? '',
    role,
    joinedAt: new Date(joinedAt).toISOString(),
    ...keys?.(memberId),
  }));
}

/** Who has the newest key of a conversation that only members can read, and to what it is encrypted. */
async function keysOf(ctx: Pick<Context, 'db'>, { id }: Conversation, ids: readonly string[]) {
  const holders = new Set(await keyHolders(ctx, roomOf(id)));
  const publicKeys = new Map((await publicKeysOf(ctx, ids)).map((one) => [one.memberId, toHex(one.publicKey)]));
  return (memberId: string) => {
    const publicKey = publicKeys.get(memberId);
    return { hasKey: holders.has(memberId), ...(publicKey !== undefined && { publicKey }) };
  };
}
