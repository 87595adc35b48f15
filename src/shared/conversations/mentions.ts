import type { Context } from '../../service/context.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import { insertRows, writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { permits } from '../groups/permissions.ts';
import { blockedEitherWay } from '../members/blocks.ts';
import { usernameKey } from '../members/names.ts';
import { roomOf, type Seat } from './conversation.ts';

/** An e-mail address or a path is no mention. */
const mention = /(?<![\p{L}\p{N}_@./-])@([A-Za-z0-9_-]{3,30})(?![A-Za-z0-9_@-])/gu;
/** Stands for all members, also where one of them is called so. */
const EVERYBODY = 'all';

const amongMembers = writtenList<{ id: string }>(
  2,
  (keys) => `
  select m.id from room_members r join members m on m.id = r.member_id
  where r.kind = $1 and r.room_id = $2 and m.status = 'active' and m.username_key in ${keys}`,
);

/** Whom a message names. */
export interface Mentioned {
  readonly everybody: boolean;
  /** ids of members, without whom a block parts from the sender */
  readonly memberIds: readonly string[];
}

const nobody: Mentioned = { everybody: false, memberIds: [] };

/**
 * The members whom a text names by `@username`, and whether it names all by `@all`.
 * @throws Problem invalid TOO_MANY_MENTIONS; forbidden FORBIDDEN for `@all` in a large conversation
 */
export async function mentionedIn(tx: Context, seat: Seat, senderId: string, content: string): Promise<Mentioned> {
  if (seat.pair !== null) return nobody;
  const names = new Set(Array.from(content.matchAll(mention), ([, name = '']) => usernameKey(name)));
  const everybody = names.delete(EVERYBODY);
  if (names.size > chatLimits.mentions)
    throw fieldProblem('content', `must name at most ${chatLimits.mentions} members`, { code: 'TOO_MANY_MENTIONS' });
  if (everybody) assertMayNameAll(seat);
  if (names.size === 0) return { everybody, memberIds: [] };
  const { kind, id } = roomOf(seat.id);
  const { rows } = await tx.db.executeQuery(amongMembers([...names], kind, id));
  return { everybody, memberIds: await withoutParted(tx, senderId, rows) };
}

const withIds = writtenList<{ id: string }>(
  2,
  (ids) => `
  select m.id from room_members r join members m on m.id = r.member_id
  where r.kind = $1 and r.room_id = $2 and m.status = 'active' and r.member_id in ${ids}`,
);

/**
 * The same of a message that the node cannot read, whose sender says whom it names.
 * @param named ids, or `all`
 * @throws Problem forbidden FORBIDDEN for `all` in a large conversation
 */
export async function mentionedBy(
  tx: Context,
  seat: Seat,
  senderId: string,
  named: readonly string[],
): Promise<Mentioned> {
  if (seat.pair !== null) return nobody;
  const everybody = named.includes(EVERYBODY);
  if (everybody) assertMayNameAll(seat);
  const ids = [...new Set(named)].filter((one) => one !== EVERYBODY);
  if (ids.length === 0) return { everybody, memberIds: [] };
  const { kind, id } = roomOf(seat.id);
  const { rows } = await tx.db.executeQuery(withIds(ids, kind, id));
  return { everybody, memberIds: await withoutParted(tx, senderId, rows) };
}

function assertMayNameAll(seat: Seat): void {
  if (seat.member_count <= chatLimits.notifiesOfAll || permits(seat.role, 'MANAGE_MEMBERS')) return;
  const message = `Only owners and admins can use @all with more than ${chatLimits.notifiesOfAll} members.`;
  throw new Problem('forbidden', 'FORBIDDEN', message);
}

async function withoutParted(
  tx: Context,
  senderId: string,
  rows: readonly { readonly id: string }[],
): Promise<readonly string[]> {
  const found = rows.map((row) => row.id).filter((memberId) => memberId !== senderId);
  const parted = await blockedEitherWay(tx, senderId, found);
  return found.filter((memberId) => !parted.has(memberId));
}

const forget = writtenQuery<{ member_id: string }>(
  'delete from conversation_mentions where conversation_id = $1 and seq = $2 returning member_id',
);

/** Stores whom a message names, instead of those whom it named before. @returns their ids, `''` for all */
export async function storeMentions(
  tx: Context,
  { conversation_id, seq }: { readonly conversation_id: string; readonly seq: number },
  { everybody, memberIds }: Mentioned,
  before: 'new' | 'changed',
): Promise<ReadonlySet<string>> {
  const gone = before === 'changed' ? (await tx.db.executeQuery(forget(conversation_id, seq))).rows : [];
  const named = everybody ? ['', ...memberIds] : memberIds;
  await insertRows(
    tx.db,
    'conversation_mentions',
    named.map((member_id) => ({ conversation_id, member_id, seq })),
  );
  return new Set(gone.map((row) => row.member_id));
}

/** SQL that leaves out what somebody said from whom a block parts the reader now, in either direction. Both are columns or parameters. */
export const notParted = (sender: string, reader: string): string => `
  not exists (select 1 from member_blocks b where b.member_id = ${reader} and b.blocked_id = ${sender})
  and not exists (select 1 from member_blocks b where b.member_id = ${sender} and b.blocked_id = ${reader})`;

const mentionsOf = writtenList<{ conversation_id: string; count: number }>(
  1,
  (ids) => `
  select m.conversation_id, count(distinct m.seq) as count
  from conversation_places p
  join conversation_mentions m on m.conversation_id = p.conversation_id and m.member_id in ('', p.member_id)
  join conversation_messages s on s.conversation_id = m.conversation_id and s.seq = m.seq and s.sender_id <> p.member_id
  where p.member_id = $1 and m.seq > p.read_seq and m.seq > p.joined_seq and p.conversation_id in ${ids}
    and ${notParted('s.sender_id', 'p.member_id')}
  group by m.conversation_id`,
);

/** How many unread messages name a member, by conversation. Those without one are missing. A block counts also if it came later. */
export async function mentionCounts(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  conversationIds: readonly string[],
): Promise<Map<string, number>> {
  if (conversationIds.length === 0) return new Map();
  const { rows } = await db.executeQuery(mentionsOf(conversationIds, memberId));
  return new Map(rows.map((row) => [row.conversation_id, row.count]));
}

/** The same for one. */
export async function mentionCountIn(
  ctx: Pick<Context, 'db'>,
  { id, pair }: Pick<Seat, 'id' | 'pair'>,
  memberId: string,
): Promise<number> {
  return pair === null ? ((await mentionCounts(ctx, memberId, [id])).get(id) ?? 0) : 0;
}
