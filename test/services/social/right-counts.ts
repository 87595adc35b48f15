import { expect } from 'vitest';
import type { SocialScene } from './scene.ts';

/** Counters of posts, profiles, hubs and rooms against the rows that they count. Throws for a wrong one. */
export async function expectRightCounts({ house }: SocialScene): Promise<void> {
  const { db } = house.ctx;
  const posts = await db.selectFrom('social_posts').selectAll().execute();
  const likes = await db.selectFrom('social_likes').selectAll().execute();
  const votes = await db.selectFrom('social_votes').selectAll().execute();
  const about = (id: string, kind: string) =>
    posts.filter(
      (row) =>
        row.kind === kind &&
        row.deleted_at === null &&
        row.counted === 1 &&
        (kind === 'reply' ? row.parent_id : row.subject_id) === id,
    ).length;
  for (const post of posts) {
    const [liked, reposted, replied] = [
      likes.filter((row) => row.post_id === post.id).length,
      about(post.id, 'repost'),
      about(post.id, 'reply'),
    ];
    const of = (value: number) => votes.filter((row) => row.post_id === post.id && row.value === value).length;
    expect(post).toMatchObject({
      like_count: liked,
      repost_count: reposted,
      reply_count: replied,
      quote_count: about(post.id, 'quote'),
      engagement: liked + reposted + replied,
      upvote_count: of(1),
      downvote_count: of(-1),
      controversy: (of(1) + of(-1)) / (1 + Math.abs(of(1) - of(-1))),
    });
  }
  // Hashtags rank their posts by a copy.
  for (const tag of await db.selectFrom('social_post_tags').selectAll().execute())
    expect(tag.engagement).toBe(posts.find(({ id }) => id === tag.post_id)?.engagement);
  const profiles = await db.selectFrom('social_profiles').selectAll().execute();
  const follows = await db.selectFrom('social_follows').selectAll().where('requested', '=', 0).execute();
  for (const profile of profiles) {
    const id = profile.member_id;
    // The number on a profile tells nothing of posts in hubs.
    const own = posts.filter(
      (row) => row.author_id === id && row.deleted_at === null && row.kind !== 'repost' && row.audience !== 'hub',
    );
    expect(profile).toMatchObject({
      post_count: own.length,
      follower_count: follows.filter((row) => row.followee_id === id).length,
      following_count: follows.filter((row) => row.follower_id === id).length,
    });
  }
  const placed = await db.selectFrom('social_post_hubs').selectAll().execute();
  const members = await db.selectFrom('room_members').selectAll().execute();
  for (const room of await db.selectFrom('rooms').selectAll().execute())
    expect(room.member_count).toBe(members.filter((row) => row.room_id === room.id).length);
  const inHub = (hubId: string) =>
    placed.flatMap((row) =>
      row.hub_id === hubId ? posts.filter(({ id, kind }) => id === row.post_id && kind !== 'repost') : [],
    );
  for (const hub of await db.selectFrom('social_hubs').selectAll().where('deleted_at', 'is', null).execute())
    expect(hub.post_count).toBe(inHub(hub.id).length);
  for (const score of await db.selectFrom('social_hub_scores').selectAll().execute()) {
    const own = inHub(score.hub_id).filter(({ author_id: author }) => author === score.member_id);
    const sum = (of: (row: (typeof own)[number]) => number) => own.reduce((all, row) => all + of(row), 0);
    expect(score).toMatchObject({
      post_count: own.length,
      upvotes: sum((row) => row.upvote_count),
      score: sum((row) => row.upvote_count - row.downvote_count),
    });
  }
}
