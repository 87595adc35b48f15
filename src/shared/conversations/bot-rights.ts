import type { Bot } from '../../service/bot.ts';
import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';

const rightIn = writtenQuery('select 1 from bot_token_rooms where bot_id = $1 and room_id = $2');

/** Whether a bot token may hear what happens in a conversation. */
export async function hasLiveRight(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<Bot, 'id'>,
  conversationId: string,
): Promise<boolean> {
  return (await db.executeQuery(rightIn(id, conversationId))).rows.length > 0;
}

/**
 * The right of a bot token may have ended since its request or socket began. In the transaction of what it does, it is looked up again.
 * @throws Problem forbidden INSUFFICIENT_SCOPE
 */
export async function requireLiveRight(
  ctx: Pick<Context, 'db'>,
  bot: Pick<Bot, 'id'>,
  conversationId: string,
): Promise<void> {
  if (await hasLiveRight(ctx, bot, conversationId)) return;
  const message = 'This bot token may not do anything in this conversation any more.';
  throw new Problem('forbidden', 'INSUFFICIENT_SCOPE', message);
}

/** A bot token changes only what was written with it, not what its member wrote. @throws Problem forbidden FORBIDDEN */
export function requireOwnOfBot(bot: Pick<Bot, 'id'> | undefined, row: Pick<ConversationMessageRow, 'hook_id'>): void {
  if (bot === undefined || row.hook_id === bot.id) return;
  const message = 'A bot token changes and deletes only what was written with it.';
  throw new Problem('forbidden', 'FORBIDDEN', message);
}
