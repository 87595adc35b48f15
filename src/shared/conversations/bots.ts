import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { ContextType } from '../../contract/chat/conversation.ts';
import type { BotRight } from '../../contract/scopes.ts';
import { groupBy } from '../../base/group-by.ts';
import { Problem } from '../../base/problem.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { BotTokenRow } from '../../platform/store/tables/bot-tokens.ts';
import { insertRows, writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { holdRoom } from '../groups/room.ts';
import { closeSocketsOfBots, makeBotToken } from '../members/bot-tokens.ts';
import { memberSummaries } from '../members/summaries.ts';
import { isClientMode, otherOf, requireSeat, roomOf } from './conversation.ts';
import { chatTypes } from './types.ts';

/** What a token may do in a conversation. */
export interface BotScope {
  readonly conversationId: string;
  readonly right: BotRight;
}

interface NewBot {
  readonly name: string;
  readonly scopes: readonly BotScope[];
  /** milliseconds since 1970; null: never */
  readonly expiresAt: number | null;
}

/**
 * Makes a token for programs, in the transaction that answers with it. The store has only its hash.
 * @throws Problem missing CONVERSATION_NOT_FOUND; forbidden FORBIDDEN; conflict PROGRAMS_CANNOT_READ, BOTS_FULL
 */
export async function makeBot(
  tx: Context,
  { memberId }: Pick<Actor, 'memberId'>,
  { name, scopes, expiresAt }: NewBot,
): Promise<{ readonly token: string; readonly row: BotTokenRow }> {
  for (const { conversationId } of scopes.toSorted((a, b) => (a.conversationId < b.conversationId ? -1 : 1))) {
    // Whoever is leaving at this moment waits, and ends the right, or was first and is not in it.
    await holdRoom(tx, roomOf(conversationId));
    const seat = await requireSeat(tx, { memberId }, chatTypes, conversationId);
    if (!isClientMode(seat)) continue;
    const message = 'Only members can read this conversation, and a program with a token is none of them.';
    throw new Problem('conflict', 'PROGRAMS_CANNOT_READ', message);
  }
  if ((await botsOf(tx, memberId)).length >= chatLimits.bots) {
    const message = `You have ${chatLimits.bots} bot tokens. Remove one first.`;
    throw new Problem('conflict', 'BOTS_FULL', message);
  }
  const now = tx.clock.now();
  const { token, hash } = makeBotToken(tx);
  const row: BotTokenRow = {
    id: recordId(now, tx.random),
    member_id: memberId,
    name,
    token_hash: hash,
    created_at: now,
    last_used_at: null,
    expires_at: expiresAt,
  };
  await insertRows(tx.db, 'bot_tokens', [row]);
  const { kind } = roomOf('');
  await insertRows(
    tx.db,
    'bot_token_rooms',
    scopes.map(({ conversationId, right }) => ({
      bot_id: row.id,
      kind,
      room_id: conversationId,
      member_id: memberId,
      may: right,
    })),
  );
  return { token, row };
}

const live = writtenQuery<BotTokenRow>(
  'select * from bot_tokens where member_id = $1 and (expires_at is null or expires_at > $2) order by id desc',
);

/** The tokens of a member that have not expired, the newest first. */
export async function botsOf({ db, clock }: Pick<Context, 'db' | 'clock'>, memberId: string): Promise<BotTokenRow[]> {
  return (await db.executeQuery(live(memberId, clock.now()))).rows;
}

/** A conversation of a token, as its member sees it. */
export interface BotConversation extends BotScope {
  readonly type: ContextType;
  readonly title: string;
}

interface Room {
  readonly bot_id: string;
  readonly may: BotRight;
  readonly id: string;
  readonly type: ContextType;
  readonly name: string | null;
  readonly pair: string | null;
}

const roomsOf = writtenList<Room>(
  0,
  (ids) => `
  select r.bot_id, r.may, c.id, c.type, c.name, c.pair
  from bot_token_rooms r join conversations c on c.id = r.room_id where r.bot_id in ${ids} order by c.id`,
);

/** @returns the conversations of tokens of a member, by the ids of the tokens */
export async function conversationsOfBots(
  ctx: Pick<Context, 'db' | 'clock'>,
  memberId: string,
  botIds: readonly string[],
): Promise<ReadonlyMap<string, readonly BotConversation[]>> {
  if (botIds.length === 0) return new Map();
  const { rows } = await ctx.db.executeQuery(roomsOf(botIds));
  const names = await memberSummaries(
    ctx,
    rows.flatMap((row) => (row.pair === null ? [] : [otherOf(row, memberId)])),
  );
  const titleOf = (row: Room) =>
    row.pair === null ? (row.name ?? '') : (names.get(otherOf(row, memberId))?.username ?? '');
  return new Map(
    [...groupBy(rows, (row) => row.bot_id)].map(([botId, rooms]) => [
      botId,
      rooms.map((row) => ({ conversationId: row.id, right: row.may, type: row.type, title: titleOf(row) })),
    ]),
  );
}

const remove = writtenQuery<{ id: string }>('delete from bot_tokens where id = $1 and member_id = $2 returning id');

/** Ends a token. Its sockets are closed after the commit, in every process. @throws Problem missing BOT_NOT_FOUND */
export async function removeBotOf(tx: Context, memberId: string, id: string): Promise<void> {
  const { rows } = await tx.db.executeQuery(remove(id, memberId));
  if (rows.length === 0) throw new Problem('missing', 'BOT_NOT_FOUND', 'You have no such bot token.');
  closeSocketsOfBots(tx, [id]);
}
