import type { Context } from '../../service/context.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import type { ChatMessage } from '../../contract/chat/message.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { showingReceipts } from '../members/privacy.ts';
import type { Seat } from './conversation.ts';
import { notParted } from './mentions.ts';

// Whoever has come and read nothing has a number all the same, that of the last message before.
// The privacy settings are JSON without spaces, as `JSON.stringify` writes it.
const readers = writtenQuery<{ read_seq: number; joined_seq: number; count: number }>(`
  select p.read_seq, p.joined_seq, count(*) as count
  from conversation_places p
  left join social_profiles f on f.member_id = p.member_id
  where p.conversation_id = $1 and p.left_seq is null and p.member_id <> $2 and p.read_seq >= $3 and p.read_at is not null
    and (f.privacy is null or f.privacy not like '%"showReadReceipts":false%')
    and ${notParted('p.member_id', '$2')}
  group by p.read_seq, p.joined_seq`);

/**
 * Messages with how many have read those of a member: where so many are that nobody is named, between members who show that to each other and whom
 * no block parts. It goes through the members once, and not at all where none of the messages is the member's.
 */
export async function withReadCounts(
  ctx: Pick<Context, 'db'>,
  seat: Pick<Seat, 'id' | 'member_count'>,
  memberId: string,
  messages: readonly ChatMessage[],
): Promise<ChatMessage[]> {
  const own = messages.filter(({ senderId, deleted }) => senderId === memberId && deleted !== true);
  if (own.length === 0 || seat.member_count <= chatLimits.notifiesOfAll) return [...messages];
  if (!(await showingReceipts(ctx, [memberId])).has(memberId)) return [...messages];
  const countOf = await readersOf(ctx, seat, memberId, own);
  const isOwn = new Set(own);
  return messages.map((one) => (isOwn.has(one) ? { ...one, readBy: countOf(one) } : one));
}

/**
 * How many have read messages of a member, of whom nobody asks whether they show what they have read themselves.
 * @param messages of the member; some
 */
export async function readersOf(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<Seat, 'id'>,
  memberId: string,
  messages: readonly { readonly seq: number }[],
): Promise<(message: { readonly seq: number }) => number> {
  const first = Math.min(...messages.map(({ seq }) => seq));
  const { rows } = await db.executeQuery(readers(id, memberId, first));
  return ({ seq }) =>
    rows.reduce((sum, row) => (row.joined_seq < seq && seq <= row.read_seq ? sum + row.count : sum), 0);
}
