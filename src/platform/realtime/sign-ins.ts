import type { Database } from '../store/database.ts';

/** What sockets sign in with: sessions of people, and bot tokens of programs. Each has an id. */

/** @returns its end, in milliseconds since 1970; undefined if it has ended */
export async function expiryOfSignIn({ db }: Pick<Database, 'db'>, id: string): Promise<number | undefined> {
  const session = await db.selectFrom('sessions').select('expires_at').where('id', '=', id).executeTakeFirst();
  if (session !== undefined) return session.expires_at;
  const [bot] = await liveBots({ db }, [id]);
  return bot === undefined ? undefined : (bot.expires_at ?? Infinity);
}

/** @returns those of the ids that have not ended */
export async function liveSignIns({ db }: Pick<Database, 'db'>, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const sessions = await db.selectFrom('sessions').select('id').where('id', 'in', ids).execute();
  return new Set([...sessions, ...(await liveBots({ db }, ids))].map((row) => row.id));
}

/** Bot tokens stay in the store while their members are suspended. */
async function liveBots({ db }: Pick<Database, 'db'>, ids: readonly string[]) {
  return await db
    .selectFrom('bot_tokens as b')
    .innerJoin('members as m', 'm.id', 'b.member_id')
    .select(['b.id', 'b.expires_at'])
    .where('b.id', 'in', ids)
    .where('m.status', '=', 'active')
    .execute();
}
