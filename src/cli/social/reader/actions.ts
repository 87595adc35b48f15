import type { Client } from '../../../client/client.ts';
import { perform } from '../../../client/perform.ts';
import { social } from '../../../contract/social.ts';
import type { EmbeddedPost, Post } from '../../../contract/social/post.ts';
import { Problem } from '../../../problem.ts';
import { aside } from '../../kit/full-screen.ts';
import { prompts } from '../../kit/prompts.ts';
import type { Reading } from './reading.ts';
import { subjectOf, type PostRow } from './rows.ts';

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
  const known = reposts.get(id);
  if (known === undefined) return 'You reposted it earlier. To take that back, delete the repost in your timeline.';
  await perform(client, social.deletePost, { id: known });
  reposts.delete(id);
  return 'Your repost is taken back.';
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
