import type { Context } from '../../service/context.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';

/** The time of the last use is only shown to people. One minute is exact enough, and saves a write with every request. */
const INTERVAL_MS = 60_000;

// Requests that arrived together with the first one change no row.
const noted = (table: string) =>
  writtenQuery(
    `update ${table} set last_used_at = $1 where id = $2 and (last_used_at is null or last_used_at <= $3) returning id`,
  );
const notedIn = {
  session: noted('sessions'),
  'app password': noted('app_passwords'),
  'bot token': noted('bot_tokens'),
};
const active = writtenQuery('update member_profiles set last_active = $1 where member_id = $2');

interface Used {
  readonly id: string;
  readonly member_id: string;
  /** milliseconds since 1970; null: never */
  readonly last_used_at: number | null;
}

/** Notes the use of what somebody signed in with, at most once a minute. The request does not wait for it. */
export function noteUse(ctx: Context, what: keyof typeof notedIn, used: Used): void {
  const now = ctx.clock.now();
  if (used.last_used_at !== null && now - used.last_used_at < INTERVAL_MS) return;
  void writeUse(ctx, what, used, now).catch((error: unknown) => {
    // Nothing depends on this value, and a full disk would fill the log with this message.
    ctx.log.debug(`the last use of ${what === 'app password' ? 'an' : 'a'} ${what} was not stored`, { error });
  });
}

async function writeUse({ store }: Context, what: keyof typeof notedIn, used: Used, now: number): Promise<void> {
  await store.transaction(async (db) => {
    const { rows } = await db.executeQuery(notedIn[what](now, used.id, now - INTERVAL_MS));
    // A program with a bot token does not make its member active.
    if (rows.length > 0 && what !== 'bot token') await db.executeQuery(active(now, used.member_id));
  });
}
