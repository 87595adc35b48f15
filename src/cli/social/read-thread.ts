import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { socialLimits } from '../../contract/social/limits.ts';
import { social } from '../../contract/social.ts';
import type { Shown } from '../kit/list-command.ts';

type Thread = Pick<ReplyOf<typeof social.showThread>, 'rootPost' | 'replies' | 'cursor' | 'hasMore'>;

/** The conversation that a post is part of, with some of its replies. */
export async function readThread(client: Client, id: string, { most, from }: Shown): Promise<Thread> {
  const read = async (left: number, cursor?: string) => {
    const limit = Math.min(left, socialLimits.thread);
    return await perform(client, social.showThread, { id, limit, ...(cursor !== undefined && { cursor }) });
  };
  let page = await read(most, from);
  const replies = [...page.replies];
  while (page.cursor !== undefined && replies.length < most) {
    page = await read(most - replies.length, page.cursor);
    replies.push(...page.replies);
  }
  const { rootPost, cursor, hasMore } = page;
  return { rootPost, replies, hasMore, ...(cursor !== undefined && { cursor }) };
}
