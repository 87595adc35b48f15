import { perform } from '../../../client/perform.ts';
import { topicName } from '../../../contract/event.ts';
import { notifications } from '../../../contract/notifications.ts';
import { notificationsTopic } from '../../../contract/notifications/events.ts';
import type { Post } from '../../../contract/social/post.ts';
import { Problem } from '../../../base/problem.ts';
import { watchTopics } from '../../kit/topic-watch.ts';
import { openNewPosts, TIMELINE_PATIENCE, type NewPosts, type Timeline } from '../timelines.ts';
import type { Reading } from './reading.ts';

/** What comes while somebody reads. */
export interface News extends AsyncDisposable {
  /** Looks for posts of a timeline from now on, or for none. @param newest id of the newest post that is known */
  follow(timeline: Timeline | undefined, newest: string): void;
  /** the posts that came since the last call, the oldest first */
  take(): Post[];
  /** how many notifications are unread; undefined while this is not known */
  unread(): number | undefined;
}

const nothing: News = {
  follow: () => {},
  take: () => [],
  unread: () => undefined,
  [Symbol.asyncDispose]: async () => {},
};

/**
 * Watches beside the person. Without a server nothing comes, and the store can't be open twice.
 * @param arrived called when something has come
 */
export async function openNews({ use, connect }: Pick<Reading, 'use' | 'connect'>, arrived: () => void): Promise<News> {
  if (await use(async (client) => client.connection.kind === 'process')) return nothing;
  const ending = new AbortController();
  const client = await connect();
  let found: Post[] = [];
  let unread: number | undefined;
  let newPosts: (() => Promise<NewPosts>) | undefined;
  const look = async (): Promise<boolean> => {
    const asked = newPosts;
    const posts = await postsOf(asked);
    const { unreadCount } = await perform(client, notifications.unreadCount, {});
    // The person may have gone elsewhere meanwhile.
    if (asked === newPosts) found.push(...posts);
    if (unreadCount !== unread || found.length > 0) arrived();
    unread = unreadCount;
    return !ending.signal.aborted;
  };
  const watching = watchTopics(client, (accountId) => [topicName(notificationsTopic, accountId)], {
    signal: ending.signal,
    trouble: () => undefined,
    patience: TIMELINE_PATIENCE,
    look,
  });
  // A reader whose session ended hears of it at the next key.
  const ended = watching.catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
  return {
    follow: (timeline, newest) => {
      found = [];
      newPosts = timeline === undefined ? undefined : openNewPosts(client, timeline, newest);
    },
    take: () => found.splice(0),
    unread: () => unread,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await ended;
      await client[Symbol.asyncDispose]();
    },
  };
}

/** A timeline that is closed to the person has no news, and the watch of others goes on. */
async function postsOf(asked: (() => Promise<NewPosts>) | undefined): Promise<Post[]> {
  try {
    return (await asked?.())?.posts ?? [];
  } catch (error) {
    if (error instanceof Problem && (error.kind === 'missing' || error.kind === 'forbidden')) return [];
    throw error;
  }
}
