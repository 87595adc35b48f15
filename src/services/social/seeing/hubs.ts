import type { Context } from '../../../service/context.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';

/**
 * SQL: whether the reader $1 is a member of a hub of a post, whose alias is given. Posts in hubs have no other readers but their author.
 * A ban and the deletion of a hub end memberships in their own transaction, so whoever is a member may read.
 *
 * It is a value and no `exists`, because PostgreSQL would turn that into a table of all posts in the reader's hubs.
 */
export function inHubOf(post: string, reader = '$1'): string {
  return `(select 1 from social_post_hubs ${post}_h
    join room_members ${post}_r on ${post}_r.kind = 'hub' and ${post}_r.room_id = ${post}_h.hub_id
    where ${post}_h.post_id = ${post}.id and ${post}_r.member_id = ${reader} limit 1) = 1`;
}

/**
 * SQL: whether a post that is sealed under a key of a hub is for the reader $1: its author, or who was a member when it was written. Without
 * the key it is for nobody. These are values for the same reason.
 */
export function openableBy(post: string, reader = '$1'): string {
  return `((select 1 from room_key_epochs ${post}_e where ${post}_e.kind = 'hub' and ${post}_e.room_id = ${post}.sealed_in
      and ${post}_e.epoch = ${post}.epoch limit 1) = 1
    and (${post}.author_id = ${reader} or (select 1 from room_key_members ${post}_k where ${post}_k.kind = 'hub'
      and ${post}_k.room_id = ${post}.sealed_in and ${post}_k.member_id = ${reader} and ${post}_k.since <= ${post}.first_epoch limit 1) = 1))`;
}

/**
 * SQL: ids of the hubs of a post of which the reader $1 knows that it is in them, in order, with commas between them; null if there are none.
 * An author knows all of them, others those of which they are members.
 */
export function hubsKnownOf(post: string): string {
  return `(select string_agg(k.hub_id, ',' order by k.hub_id) from social_post_hubs k where k.post_id = ${post}.id
    and (${post}.author_id = $1 or exists (select 1 from room_members o
      where o.kind = 'hub' and o.room_id = k.hub_id and o.member_id = $1)))`;
}

/** @param known what `hubsKnownOf` gave */
export function hubIdsOf(known: string | null): string[] {
  return known === null ? [] : known.split(',');
}

const known = writtenQuery<{ hubs: string | null }>(
  `select ${hubsKnownOf('p')} as hubs from social_posts p where p.id = $2`,
);

/** The hubs of a post of which a member knows that it is in them. The caller has checked that the member knows of the post. */
export async function hubsKnown({ db }: Pick<Context, 'db'>, memberId: string, postId: string): Promise<string[]> {
  return hubIdsOf((await db.executeQuery(known(memberId, postId))).rows[0]?.hubs ?? null);
}
