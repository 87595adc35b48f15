import { transaction, type Context } from '../../service/context.ts';
import { inParts } from '../../base/in-parts.ts';
import { chatLimits } from '../../contract/chat/limits.ts';
import { insertRows, writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { boardOf } from './board.ts';

/** The rows of this process: that it lives, and who has sockets here. They count while it gives signs of life, so those of one that died lapse. */

const ROWS_AT_ONCE = 500;

/**
 * Gives a sign of life where one is due, and looks at everybody of whom something else may have been told than holds: Do Not Disturb that has
 * ended by itself, and members of processes that died.
 */
export async function beat(ctx: Context): Promise<void> {
  const board = boardOf(ctx);
  const now = ctx.clock.now();
  // Without sockets there is nothing to keep alive, and nobody to tell anything.
  if (now < board.beatAt || board.here.size + board.closing.size === 0) return;
  const alive = { id: ctx.realtime.id, ends_at: now + chatLimits.deadMs };
  const known = await ctx.db
    .updateTable('presence_processes')
    .set(alive)
    .where('id', '=', alive.id)
    .returning('id')
    .executeTakeFirst();
  if (known === undefined) {
    // It begins, or was held up so long that others took it for dead.
    await insertRows(ctx.db, 'presence_processes', [alive]);
    for (const memberId of [...board.here, ...board.closing.keys()]) board.moved.add(memberId);
  }
  await buryDead(ctx, now);
  for (const memberId of [...board.here, ...(await believedThere(ctx))])
    if (!board.due.has(memberId)) board.due.set(memberId, now);
  board.beatAt = now + chatLimits.beatMs;
}

/** Removes the rows of processes that died. The one process that takes such a row also takes those of its members. */
async function buryDead(ctx: Context, now: number): Promise<void> {
  const dead = await ctx.db.selectFrom('presence_processes').select('id').where('ends_at', '<=', now).execute();
  for (const { id } of dead)
    await transaction(ctx, async ({ db }) => {
      const taken = await db
        .deleteFrom('presence_processes')
        .where('id', '=', id)
        .where('ends_at', '<=', now)
        .returning('id')
        .executeTakeFirst();
      if (taken !== undefined) await db.deleteFrom('presence_sockets').where('process_id', '=', id).execute();
    });
}

/** Members who are told to be there, and have a socket in no process. */
async function believedThere({ db }: Pick<Context, 'db'>): Promise<string[]> {
  const rows = await db
    .selectFrom('presence as p')
    .select('p.member_id')
    .where('p.told', 'in', ['online', 'idle', 'dnd'])
    .where((e) =>
      e.not(
        e.exists(
          e.selectFrom('presence_sockets as s').select('s.member_id').whereRef('s.member_id', '=', 'p.member_id'),
        ),
      ),
    )
    .execute();
  return rows.map((row) => row.member_id);
}

/** Writes whose sockets came and went since the last time. */
export async function writeMoved(ctx: Context): Promise<void> {
  const board = boardOf(ctx);
  if (board.moved.size === 0) return;
  const moved = [...board.moved].toSorted();
  board.moved.clear();
  try {
    for (const ids of inParts(moved, ROWS_AT_ONCE)) {
      const rows = ids.flatMap((member_id) => {
        const ends_at = board.here.has(member_id) ? null : board.closing.get(member_id);
        const seen_at = board.seen.get(member_id) ?? ctx.clock.now();
        return ends_at === undefined ? [] : [{ process_id: ctx.realtime.id, member_id, ends_at, seen_at }];
      });
      await transaction(ctx, async ({ db }) => {
        const ending = 'on conflict (process_id, member_id) do update set ends_at = excluded.ends_at';
        await insertRows(db, 'presence_sockets', rows, ending);
        const first = rows.map(({ member_id }) => ({ member_id, status: 'online', told: 'offline' }));
        await insertRows(db, 'presence', first, 'on conflict (member_id) do nothing');
      });
    }
  } catch (error) {
    for (const memberId of moved) board.moved.add(memberId);
    throw error;
  }
}

const seenOf = writtenList<{ id: string; seen: number }>(
  0,
  (ids) =>
    `select member_id as id, max(seen_at) as seen from presence_sockets where member_id in ${ids} group by member_id`,
);
const seenSince = writtenQuery('update presence_sockets set seen_at = $1 where member_id = $2 and seen_at < $1');

/**
 * Writes who gave signs of themselves, of each of them once in a while, and also where another process has their sockets. Whoever was idle by
 * themselves may be another thing then.
 */
export async function writeSeen(ctx: Context): Promise<void> {
  const { seen, unwritten, written, due } = boardOf(ctx);
  const now = ctx.clock.now();
  for (const [memberId, at] of written) {
    if (now - at < chatLimits.seenEveryMs && at <= now) break;
    written.delete(memberId);
  }
  const ids = [...unwritten].filter((id) => !written.has(id)).slice(0, ROWS_AT_ONCE);
  if (ids.length === 0) return;
  const signs = ids.toSorted().map((id) => ({ id, at: seen.get(id) ?? now }));
  const before = new Map((await ctx.db.executeQuery(seenOf(ids))).rows.map((row) => [row.id, row.seen]));
  // Most who ask something over HTTP have no socket.
  const newer = signs.filter(({ id, at }) => (before.get(id) ?? Infinity) < at);
  if (newer.length > 0)
    await transaction(ctx, async ({ db }) => {
      for (const { id, at } of newer) await db.executeQuery(seenSince(at, id));
    });
  for (const { id, at } of newer)
    if ((before.get(id) ?? 0) + ctx.config.chat.idleAfterMs <= at && !due.has(id)) due.set(id, now + chatLimits.restMs);
  for (const { id, at } of signs) {
    written.set(id, now);
    // Unless there was another one meanwhile.
    if (seen.get(id) === at) unwritten.delete(id);
    forgetSeen(ctx, id);
  }
}

/** Without sockets here and with nothing to write, a sign is of no use to this process. */
function forgetSeen(ctx: Context, memberId: string): void {
  const { here, closing, seen, unwritten } = boardOf(ctx);
  if (!here.has(memberId) && !closing.has(memberId) && !unwritten.has(memberId)) seen.delete(memberId);
}

/** Ends the time for which members count as online after their last socket. */
export async function endClosing(ctx: Context): Promise<void> {
  const { closing, due } = boardOf(ctx);
  const now = ctx.clock.now();
  const over = [...closing].flatMap(([memberId, until]) => (until <= now ? [memberId] : []));
  for (const ids of inParts(over.toSorted(), ROWS_AT_ONCE)) {
    await ctx.db
      .deleteFrom('presence_sockets')
      .where('process_id', '=', ctx.realtime.id)
      .where('member_id', 'in', ids)
      .execute();
    for (const memberId of ids) {
      // Who came back meanwhile is among those that moved, and is written again.
      if ((closing.get(memberId) ?? Infinity) <= now) closing.delete(memberId);
      forgetSeen(ctx, memberId);
      due.set(memberId, now);
    }
  }
}

/** The process stops: its members count as online as long as after the last socket, so that they can sign in elsewhere. */
export async function endProcess(ctx: Context): Promise<void> {
  await ctx.db
    .updateTable('presence_processes')
    .set({ ends_at: ctx.clock.now() + chatLimits.offlineMs })
    .where('id', '=', ctx.realtime.id)
    .execute();
}
