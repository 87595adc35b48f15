import type { Client } from '../../client/client.ts';
import type { Post } from '../../contract/social/post.ts';
import type { Problem } from '../../base/problem.ts';
import { watchTopics } from '../kit/topic-watch.ts';
import { openNewPosts, TIMELINE_PATIENCE, type Timeline } from './timelines.ts';

interface Told {
  /** shows a post, and answers whether to go on */
  readonly tell: (post: Post) => Promise<boolean>;
  /** called when more posts came than are told */
  readonly missed: () => void;
  /** called once while the server cannot be reached */
  readonly trouble: (problem: Problem) => void;
}

/** Tells posts of a timeline as they come, the oldest first. */
export async function watchNewPosts(
  client: Client,
  timeline: Timeline,
  { tell, missed, trouble }: Told,
): Promise<void> {
  const newPosts = openNewPosts(client, timeline);
  await watchTopics(client, () => [], {
    look: async () => {
      const news = await newPosts();
      if (news.missed) missed();
      for (const post of news.posts) if (!(await tell(post))) return false;
      return true;
    },
    trouble,
    patience: TIMELINE_PATIENCE,
  });
}
