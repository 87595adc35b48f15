import { inParts } from '../../base/in-parts.ts';
import type { Context } from '../../service/context.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { closeSocketsOfBots } from '../members/bot-tokens.ts';

/** Tokens that one statement ends. */
const TOGETHER = 200;

/** As in `room.ts`, which imports this. */
interface Room {
  readonly kind: string;
  readonly id: string;
}

interface Ended {
  readonly bot_id: string;
}

const endOfMember = writtenQuery<Ended>(
  'delete from bot_token_rooms where kind = $1 and room_id = $2 and member_id = $3 returning bot_id',
);
const endOfAll = writtenQuery<Ended>('delete from bot_token_rooms where kind = $1 and room_id = $2 returning bot_id');

/**
 * Bot tokens of a member may do nothing more in a room that the member is not in any more. Those that are for no other room end. The sockets of
 * all of them are closed, because a socket knows what it may do since it signed in.
 */
export async function endBotsIn(tx: Context, { kind, id }: Room, memberId: string): Promise<void> {
  await end(tx, (await tx.db.executeQuery(endOfMember(kind, id, memberId))).rows);
}

/** The same for all members of a room that goes. */
export async function endAllBotsIn(tx: Context, { kind, id }: Room): Promise<void> {
  await end(tx, (await tx.db.executeQuery(endOfAll(kind, id))).rows);
}

async function end(tx: Context, rows: readonly Ended[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.bot_id);
  for (const part of inParts(ids, TOGETHER))
    await tx.db
      .deleteFrom('bot_tokens')
      .where('id', 'in', part)
      .where((e) =>
        e.not(
          e.exists(e.selectFrom('bot_token_rooms as r').select('r.bot_id').whereRef('r.bot_id', '=', 'bot_tokens.id')),
        ),
      )
      .execute();
  closeSocketsOfBots(tx, ids);
}
