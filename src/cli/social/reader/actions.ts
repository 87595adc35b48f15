import type { Client } from '../../../client/client.ts';
import { perform } from '../../../client/perform.ts';
import { social } from '../../../contract/social.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import type { EmbeddedPost, Post } from '../../../contract/social/post.ts';
import { Problem } from '../../../base/problem.ts';
import { aside } from '../../kit/full-screen.ts';
import { prompts } from '../../kit/prompts.ts';
import { myName } from '../my-name.ts';
import { readTimeline } from '../timelines.ts';
import type { Reading } from './reading.ts';
import { subjectOf, type PostRow } from './rows.ts';

/** Posts of the person's own, of which one may be the repost to take back. Nobody waits for more pages after a key. */
const LOOKED_THROUGH = 1_000;

/** What single keys do with a post. @returns what to tell the person */
type Action = (client: Client, post: EmbeddedPost, reading: Reading) => Promise<string>;

const actions: Readonly<Record<string, Action>> = {
  l: async (client, { _id: id, liked }) => {
    await perform(client, liked ? social.unlike : social.like, { id });
    return liked ? 'Your like is taken back.' : 'You like the post.';
  },
  m: async (client, { _id: id, bookmarked }) => {
    await perform(client, bookmarked ? social.removeBookmark : social.bookmark, { id });
    return bookmarked ? 'Bookmark removed.' : 'Bookmarked.';
  },
  '+': async (client, post) => await vote(client, post, 1),
  '-': async (client, post) => await vote(client, post, -1),
  b: repostOrNot,
};

export function isAction(key: string): boolean {
  return Object.hasOwn(actions, key);
}

/** @returns what to tell the person */
export async function act(reading: Reading, key: string, row: PostRow): Promise<string> {
  const post = subjectOf(row);
  if (post === undefined) return 'You cannot see this post.';
  return (await reading.use(async (client) => await actions[key]?.(client, post, reading))) ?? '';
}

async function vote(client: Client, { _id: id, vote: before }: EmbeddedPost, now: 1 | -1): Promise<string> {
  const operation = before === now ? social.unvote : now === 1 ? social.upvote : social.downvote;
  const { score } = await perform(client, operation, { id });
  return `The score of the post is ${score}.`;
}

async function repostOrNot(client: Client, { _id: id, reposted }: EmbeddedPost, { reposts }: Reading): Promise<string> {
  if (!reposted) {
    reposts.set(id, (await perform(client, social.repost, { id }))['_id']);
    return 'You reposted the post. The same key takes it back.';
  }
  const known = reposts.get(id) ?? (await earlierRepost(client, id));
  if (known === undefined) return 'You reposted it long ago. To take that back, delete the repost among your posts.';
  await perform(client, social.deletePost, { id: known });
  reposts.delete(id);
  return 'Your repost is taken back.';
}

/** Finds a repost of the person's own among their posts. It is newer than what it is about. */
async function earlierRepost(client: Client, id: string): Promise<string | undefined> {
  const mine = { kind: 'user', name: await myName(client) } as const;
  let cursor: string | undefined;
  for (let seen = 0; seen < LOOKED_THROUGH; seen += socialLimits.mostOnPage) {
    const page = await readTimeline(client, mine, socialLimits.mostOnPage, cursor);
    const found = page.posts.find(({ postType, quotedPostId }) => postType === 'repost' && quotedPostId === id);
    if (found !== undefined) return found['_id'];
    const oldest = page.posts.at(-1)?.['_id'];
    // Ids begin with the time.
    if (!page.hasMore || oldest === undefined || oldest < id) return undefined;
    cursor = page.cursor;
  }
  return undefined;
}

/** Deletes a post of the person's own, or takes a repost back, after a question. */
export async function remove(reading: Reading, { post }: PostRow): Promise<string> {
  const what = post.postType === 'repost' ? 'Take this repost back?' : 'Delete this post for good?';
  const sure = await aside(reading, async () => await prompts(reading.terminal, { back: true }).confirm(what));
  if (!sure) return '';
  await reading.use(async (client) => await perform(client, social.deletePost, { id: post['_id'] }));
  return post.postType === 'repost' ? 'Your repost is taken back.' : 'The post is deleted.';
}

/** A post as it is now. @returns undefined if it is gone */
export async function refreshed(client: Client, { _id: id }: Post): Promise<Post | undefined> {
  try {
    return await perform(client, social.showPost, { id });
  } catch (error) {
    if (error instanceof Problem && error.kind === 'missing') return undefined;
    throw error;
  }
}
