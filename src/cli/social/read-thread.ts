import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { social } from '../../contract/social.ts';

type Thread = Pick<ReplyOf<typeof social.showThread>, 'rootPost' | 'replies' | 'hasMore'>;

/** The conversation that a post is part of, with at most so many replies. */
export async function readThread(client: Client, id: string, most: number): Promise<Thread> {
  let page = await perform(client, social.showThread, { id, limit: Math.min(most, 500) });
  const replies = [...page.replies];
  while (page.cursor !== undefined && replies.length < most) {
    const limit = Math.min(most - replies.length, 500);
    page = await perform(client, social.showThread, { id, limit, cursor: page.cursor });
    replies.push(...page.replies);
  }
  return { rootPost: page.rootPost, replies, hasMore: page.hasMore };
}
