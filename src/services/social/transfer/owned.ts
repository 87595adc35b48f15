import type { Context } from '../../../service/context.ts';
import type { Portable } from '../../../contract/social/transfer.ts';
import { whomMutes } from '../../../shared/members/blocks.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { postRows } from '../seeing/posts.ts';

/** A member whom somebody follows, blocks or mutes, or a post with their bookmark. */
export interface Owned {
  readonly id: string;
  /** a username, or the id of a post */
  readonly name: string;
}

interface Row extends Owned {
  /** the rows behind it are the next piece */
  readonly key: string;
}

const people = (table: string, mine: string, other: string, more = '') =>
  writtenQuery<Row>(`
    select m.id as key, m.id, m.username as name from ${table} t join members m on m.id = t.${other}
    where t.${mine} = $1 and t.${other} > $2 and m.status = 'active' ${more} order by t.${other} limit $3`);

const rowsOf: Readonly<Record<Portable, ReturnType<typeof writtenQuery<Row>>>> = {
  follows: people('social_follows', 'follower_id', 'followee_id', 'and t.requested = 0'),
  blocks: people('member_blocks', 'member_id', 'blocked_id'),
  mutes: people('member_mutes', 'member_id', 'muted_id'),
  bookmarks: writtenQuery<Row>(`
    select id as key, post_id as id, post_id as name from social_bookmarks
    where member_id = $1 and id > $2 order by id limit $3`),
};

/**
 * What a member takes along, a piece at a time: without members who are suspended, requests to follow, mutes that have ended, and bookmarks
 * of posts that the member may not see now. An export writes it, and an import that overwrites ends no other things, so that the import of
 * one's own export changes nothing.
 * @param after what the last piece gave as `next`; nothing in the beginning
 * @returns without `next` at the end
 */
export async function ownedBehind(
  ctx: Context,
  memberId: string,
  what: Portable,
  { after = '', most }: { readonly after?: string; readonly most: number },
): Promise<{ found: Owned[]; next?: string }> {
  const { rows } = await ctx.db.executeQuery(rowsOf[what](memberId, after, most));
  const last = rows.length < most ? undefined : rows.at(-1)?.key;
  return { found: await shown(ctx, memberId, what, rows), ...(last !== undefined && { next: last }) };
}

async function shown(ctx: Context, memberId: string, what: Portable, rows: readonly Row[]): Promise<Row[]> {
  if (what !== 'mutes' && what !== 'bookmarks') return [...rows];
  const ids = rows.map(({ id }) => id);
  // A mute that has ended may still have its row.
  const now = what === 'mutes' ? await whomMutes(ctx, memberId, ids) : await postRows(ctx, memberId, ids);
  return rows.filter(({ id }) => now.has(id));
}
