import type { Context } from '../../service/context.ts';
import type { FoundChannel } from '../../contract/chat/channels.ts';
import type { ChannelVisibility } from '../../contract/chat/conversation.ts';
import { Problem } from '../../base/problem.ts';
import { asc, readPage, type PageRequest } from '../../platform/store/page.ts';
import type { ConversationRow } from '../../platform/store/tables/conversations.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { isSecret, noConversation, requireSeat, roomOf, type Seat } from './conversation.ts';

/** A channel as somebody sees it who may be no member. */
export interface ChannelRow extends ConversationRow {
  readonly member_count: number;
  /** the id of the reader, if they are a member */
  readonly reader: string | null;
}

const { kind } = roomOf('');
const channelBy = writtenQuery<ChannelRow>(`
  select c.*, r.member_count, m.member_id as reader from conversations c
  join rooms r on r.kind = '${kind}' and r.id = c.id
  left join room_members m on m.kind = r.kind and m.room_id = r.id and m.member_id = $1
  where c.id = $2 and c.type = 'channel'`);

/** A channel, whoever may know of it. The caller decides about that. */
export async function channelById(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  id: string,
): Promise<ChannelRow | undefined> {
  return (await db.executeQuery(channelBy(memberId, id))).rows[0];
}

/**
 * What a member sees of a channel: those who are in it all, and others what everybody may know of a public one.
 * @throws Problem missing CONVERSATION_NOT_FOUND; forbidden FORBIDDEN for a private one
 */
export async function channelFor(
  ctx: Pick<Context, 'db'>,
  memberId: string,
  id: string,
): Promise<{ readonly seat: Seat } | { readonly about: FoundChannel }> {
  const row = await channelById(ctx, memberId, id);
  if (row === undefined) throw noConversation();
  if (row.reader !== null) return { seat: await requireSeat(ctx, { memberId }, ['channel'], id) };
  if (isSecret(row)) throw noConversation();
  if (row.visibility === 'public') return { about: toFound(row) };
  throw new Problem('forbidden', 'FORBIDDEN', 'This channel is private. Its owner and its admins can invite you.');
}

function toFound(row: ChannelRow): FoundChannel {
  return {
    id: row.id,
    name: row.name ?? '',
    topic: row.topic ?? '',
    visibility: row.visibility as ChannelVisibility,
    memberCount: row.member_count,
    createdAt: new Date(row.created_at).toISOString(),
    joined: row.reader !== null,
  };
}

/** Names of channels that differ in case alone are the same. Upper case, because it makes one of what has two lower cases. */
export function channelNameKey(name: string): string {
  return name.normalize('NFKC').toUpperCase();
}

/** The channels that can be found, in the order of their names, a page at a time. */
export async function findableChannels(
  ctx: Context,
  { list, memberId, name }: { readonly list: string; readonly memberId: string; readonly name?: string | undefined },
  page: PageRequest,
): Promise<{ items: FoundChannel[]; cursor: string | null; hasMore: boolean }> {
  let query = ctx.db
    .selectFrom('conversations as c')
    .innerJoin('rooms as r', (on) => on.onRef('r.id', '=', 'c.id').on('r.kind', '=', kind))
    .leftJoin('room_members as m', (on) =>
      on.onRef('m.kind', '=', 'r.kind').onRef('m.room_id', '=', 'r.id').on('m.member_id', '=', memberId),
    )
    .selectAll('c')
    .select(['r.member_count', 'm.member_id as reader'])
    .where('c.name_key', 'is not', null)
    .where('c.visibility', 'in', ['public', 'private']);
  if (name !== undefined) query = query.where('c.name_key', '=', channelNameKey(name));
  const by = [asc<ChannelRow>('c.name_key', (row) => row.name_key ?? '')];
  const { rows, next } = await readPage(ctx, query, { list, memberId, filter: { name }, by }, page);
  return { items: rows.map(toFound), cursor: next.cursor ?? null, hasMore: next.hasMore };
}
