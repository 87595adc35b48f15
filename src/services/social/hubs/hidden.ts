import type { Context } from '../../../service/context.ts';
import { socialEvents } from '../../../contract/social/events.ts';
import { publish } from '../../../platform/realtime/publish.ts';
import type { SocialPostRow } from '../../../platform/store/tables/social.ts';
import type { MemberRow } from '../../../platform/store/tables/tables.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { personRows } from '../people/found.ts';
import { hubIfAny } from './access.ts';
import { topicOfHub } from './changes.ts';

/**
 * Tells members of hubs what they may not see any more. Whoever did not see it is not told either. The filter of posts would say who that
 * is, but in a hub of thousands it takes too long, so these are its exceptions: all others of a hub see what is in it.
 */

type Piece = Pick<SocialPostRow, 'author_id' | 'first_epoch'>;

const reposted = writtenQuery<Piece>(`
  select s.author_id, s.first_epoch from social_posts s join social_post_hubs h on h.post_id = s.id
  where s.id = $1 and h.hub_id = $2 and s.deleted_at is null`);

const hubsWith = writtenQuery<{ id: string }>(`
  select h.hub_id as id from social_post_hubs h join social_hubs u on u.id = h.hub_id
  where h.post_id = $1 and u.deleted_at is null order by h.hub_id`);

/** Tells the members of all hubs of a post that it goes out of them. Call it while the post is there. */
export async function tellGone(tx: Context, post: SocialPostRow): Promise<void> {
  if (post.audience !== 'hub') return;
  for (const { id } of (await tx.db.executeQuery(hubsWith(post.id))).rows) await tellRemoved(tx, post, id);
}

/** Tells the members of a hub that a post goes out of it. Call it while the post is there. */
export async function tellRemoved(tx: Context, post: SocialPostRow, hubId: string): Promise<void> {
  const pieces: Piece[] = [post];
  if (post.kind === 'repost') {
    const [subject] = (await tx.db.executeQuery(reposted(post.subject_id, hubId))).rows;
    if (subject === undefined) return;
    pieces.push(subject);
  }
  for (const { author_id: authorId } of pieces) if ((await statusOf(tx, authorId)) !== 'active') return;
  const data = { postId: post.id, hubId };
  const withheldFrom = await unseeing(tx, hubId, pieces);
  await publish(tx, topicOfHub(hubId), socialEvents.hubPostRemoved, data, { withheldFrom });
}

/** Members of a hub who see nothing that is made of these, because they do not see one of them. */
async function unseeing(tx: Context, hubId: string, pieces: readonly Piece[]): Promise<string[]> {
  const found = new Set<string>();
  for (const { author_id: authorId, first_epoch: epoch } of pieces) {
    for (const id of await inBlock(tx, hubId, authorId)) found.add(id);
    if (epoch !== null) for (const { id } of (await tx.db.executeQuery(newcomers(hubId, epoch))).rows) found.add(id);
  }
  return [...found];
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

/** Members of an encrypted hub who have no key of an epoch. */
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
  // What somebody wrote who left the social network is erased, and no event names them.
  const person = (await personRows(tx, [authorId])).get(authorId);
  if (person?.status !== 'suspended' || (await hubIfAny(tx, hubId)) === undefined) return;
  const withheldFrom = await unseeing(tx, hubId, [{ author_id: authorId, first_epoch: epoch }]);
  await publish(tx, topicOfHub(hubId), socialEvents.hubAuthorHidden, { hubId, authorId }, { withheldFrom });
}

const statuses = writtenQuery<Pick<MemberRow, 'status'>>('select status from members where id = $1');

/** Also of somebody who just left the social network: what is erased of them was seen until then. */
async function statusOf({ db }: Context, memberId: string): Promise<MemberRow['status'] | undefined> {
  return (await db.executeQuery(statuses(memberId))).rows[0]?.status;
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
  return [...found]
    .map(([hubId, epoch]) => ({ hubId, epoch }))
    .toSorted((one, other) => (one.hubId < other.hubId ? -1 : 1));
}
