import type { Context } from '../../../context.ts';
import { socialEvents } from '../../../contract/social/events.ts';
import { publish } from '../../../realtime/publish.ts';
import { writtenQuery } from '../../../store/written-query.ts';
import { personRows } from '../people/found.ts';
import { seen, noBlock } from '../seeing/posts.ts';
import { hubIfAny } from './access.ts';
import { topicOfHub } from './changes.ts';

/** Tells members of hubs what they may not see any more. Whoever did not see it is not told either. */

const sights = writtenQuery<{ id: string; seen: number }>(`
  select m.member_id as id, case when ${seen('p', 'm.member_id', noBlock)} then 1 else 0 end as seen
  from room_members m join social_posts p on p.id = $1 where m.kind = 'hub' and m.room_id = $2`);

/** Tells the members of a hub that a post goes out of it. Call it while the post is there. */
export async function tellRemoved(
  tx: Context,
  post: { readonly id: string; readonly author_id: string },
  hubId: string,
): Promise<void> {
  if (!(await isShown(tx, post.author_id))) return;
  const { rows } = await tx.db.executeQuery(sights(post.id, hubId));
  const withheldFrom = rows.filter((row) => row.seen === 0).map(({ id }) => id);
  if (withheldFrom.length === rows.length) return;
  const data = { postId: post.id, hubId };
  await publish(tx, topicOfHub(hubId), socialEvents.hubPostRemoved, data, { withheldFrom });
}

const blocks = writtenQuery<{ id: string }>(`
  select b.member_id as id from member_blocks b
    join room_members m on m.kind = 'hub' and m.room_id = $1 and m.member_id = b.member_id where b.blocked_id = $2
  union select b.blocked_id from member_blocks b
    join room_members m on m.kind = 'hub' and m.room_id = $3 and m.member_id = b.blocked_id where b.member_id = $4`);

/** Members of a hub whom a block parts from an author, in either direction. To them the posts of the author do not exist. */
export async function inBlock({ db }: Context, hubId: string, authorId: string): Promise<string[]> {
  return (await db.executeQuery(blocks(hubId, authorId, hubId, authorId))).rows.map(({ id }) => id);
}

const newcomers = writtenQuery<{ id: string }>(`
  select m.member_id as id from room_members m where m.kind = 'hub' and m.room_id = $1 and not exists (
    select 1 from room_key_members k where k.kind = 'hub' and k.room_id = $1 and k.member_id = m.member_id and k.since <= $2)`);

/** What an author has in a hub. */
export interface Written {
  readonly hubId: string;
  /** the latest epoch in which it was written, if the hub is encrypted */
  readonly epoch: number | null;
}

/** Tells the members of a hub that all posts of an author are hidden, if that is so. */
export async function tellHiddenAuthor(tx: Context, authorId: string, { hubId, epoch }: Written): Promise<void> {
  const hub = await hubIfAny(tx, hubId);
  if (hub === undefined || (await isShown(tx, authorId))) return;
  const withheld = new Set(await inBlock(tx, hubId, authorId));
  // Whoever joined an encrypted hub after the last of them saw none.
  if (hub.trust_tier === 'encrypted')
    for (const { id } of (await tx.db.executeQuery(newcomers(hubId, epoch ?? 0))).rows) withheld.add(id);
  const data = { hubId, authorId };
  await publish(tx, topicOfHub(hubId), socialEvents.hubAuthorHidden, data, { withheldFrom: [...withheld] });
}

async function isShown(ctx: Context, authorId: string): Promise<boolean> {
  return (await personRows(ctx, [authorId])).get(authorId)?.status === 'active';
}

/** Posts that one look reads. */
const WINDOW = 1_000;

const lastOfWindow = writtenQuery<{ id: string }>(`
  select id from social_posts where author_id = $1 and deleted_at is null and id > $2 order by id limit 1 offset ${WINDOW - 1}`);

// A repost has no epoch: it is seen by whoever sees what it reposts.
const writtenIn = writtenQuery<{ hub_id: string; epoch: number | null }>(`
  select h.hub_id, max(coalesce(p.first_epoch, s.first_epoch)) as epoch
  from (select id, subject_id, first_epoch from social_posts
    where author_id = $1 and deleted_at is null and id > $2 order by id limit ${WINDOW}) p
  left join social_posts s on s.id = p.subject_id
  join social_post_hubs h on h.post_id = p.id
  group by h.hub_id`);

/** All hubs in which an author has something, in order. */
export async function hubsWrittenIn({ db }: Pick<Context, 'db'>, authorId: string): Promise<Written[]> {
  const found = new Map<string, number | null>();
  for (let after: string | undefined = ''; after !== undefined;) {
    for (const { hub_id: hubId, epoch } of (await db.executeQuery(writtenIn(authorId, after))).rows) {
      const before = found.get(hubId) ?? null;
      found.set(hubId, epoch === null || (before !== null && before > epoch) ? before : epoch);
    }
    after = (await db.executeQuery(lastOfWindow(authorId, after))).rows[0]?.id;
  }
  return [...found].map(([hubId, epoch]) => ({ hubId, epoch })).toSorted((one, other) => (one.hubId < other.hubId ? -1 : 1));
}
