import type { Actor, Caller, MemberType } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { BotRight } from '../../contract/scopes.ts';
import { sha256HexOfText } from '../../crypto/hash.ts';
import { Problem } from '../../base/problem.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { noteUse } from './last-use.ts';

/** So that whoever looks for secrets in code and logs knows them at once. */
const PREFIX = 'conclave-bot-';
/** 256 random bits: nobody guesses a token, so a plain hash of it is enough in the store. */
const TOKEN_BYTES = 32;

export function looksLikeBotToken(token: string): boolean {
  return token.startsWith(PREFIX);
}

/** @returns a new token, which is shown once, and what the store keeps of it */
export function makeBotToken({ random }: Pick<Context, 'random'>): { readonly token: string; readonly hash: string } {
  const token = PREFIX + Buffer.from(random(TOKEN_BYTES)).toString('base64url');
  return { token, hash: sha256HexOfText(token) };
}

interface LiveBot {
  readonly id: string;
  readonly name: string;
  readonly member_id: string;
  readonly last_used_at: number | null;
  readonly username: string;
  readonly type: MemberType;
  readonly room_id: string;
  readonly may: BotRight;
}

// Whatever ends a membership ends the right too. That the member is still in the room is looked up all the same.
const liveBot = writtenQuery<LiveBot>(`
  select b.id, b.name, b.member_id, b.last_used_at, m.username, m.type, r.room_id, r.may
  from bot_tokens b
  join members m on m.id = b.member_id
  join bot_token_rooms r on r.bot_id = b.id
  join room_members p on p.kind = r.kind and p.room_id = r.room_id and p.member_id = b.member_id
  where b.token_hash = $1 and (b.expires_at is null or b.expires_at > $2) and m.status = 'active'`);

/** @throws Problem unauthenticated UNAUTHORIZED, the same for every reason */
export async function authenticateBot(ctx: Context, token: string, caller: Caller): Promise<Actor> {
  const { rows } = await ctx.db.executeQuery(liveBot(sha256HexOfText(token), ctx.clock.now()));
  const [bot] = rows;
  if (bot === undefined) throw unknownBot();
  noteUse(ctx, 'bot token', bot);
  return {
    kind: 'member',
    memberId: bot.member_id,
    username: bot.username,
    type: bot.type,
    sessionId: '',
    jtiHash: '',
    jti: () => new Uint8Array(),
    bot: { id: bot.id, name: bot.name, rooms: new Map(rows.map((row) => [row.room_id, row.may])) },
    // Of scopes that are for whole services it has none.
    scopes: new Set(),
    address: caller.address,
    userAgent: caller.userAgent,
  };
}

const stillLive = writtenQuery(`
  select 1 from bot_tokens b join members m on m.id = b.member_id
  where b.id = $1 and (b.expires_at is null or b.expires_at > $2) and m.status = 'active'`);

/** @throws Problem unauthenticated UNAUTHORIZED when the token has ended or expired, or its member is suspended */
export async function assertLiveBot({ db, clock }: Pick<Context, 'db' | 'clock'>, id: string): Promise<void> {
  if ((await db.executeQuery(stillLive(id, clock.now()))).rows.length === 0) throw unknownBot();
}

/** Ends all bot tokens of a member, and closes their sockets after the commit. */
export async function endBotsOf(tx: Context, memberId: string): Promise<void> {
  const ended = await tx.db.deleteFrom('bot_tokens').where('member_id', '=', memberId).returning('id').execute();
  closeSocketsOfBots(
    tx,
    ended.map(({ id }) => id),
  );
}

/** Closes the sockets of a member's bot tokens, which stay in the store. The member may not use them for now. */
export async function closeBotsOf(tx: Context, memberId: string): Promise<void> {
  const rows = await tx.db.selectFrom('bot_tokens').select('id').where('member_id', '=', memberId).execute();
  closeSocketsOfBots(
    tx,
    rows.map(({ id }) => id),
  );
}

/** In every process, after the commit. A socket of a bot has the id of its token where others have that of a session. */
export function closeSocketsOfBots(tx: Pick<Context, 'afterCommit' | 'realtime'>, ids: readonly string[]): void {
  if (ids.length > 0) tx.afterCommit(() => tx.realtime.endSessions(ids));
}

/** Deletes expired tokens, at most so many. @returns how many */
export async function purgeBots(tx: Context, nowMs: number, most: number): Promise<number> {
  const purged = await tx.db
    .deleteFrom('bot_tokens')
    .where('id', 'in', (e) => e.selectFrom('bot_tokens').select('id').where('expires_at', '<=', nowMs).limit(most))
    .returning('id')
    .execute();
  closeSocketsOfBots(
    tx,
    purged.map(({ id }) => id),
  );
  return purged.length;
}

function unknownBot(): Problem {
  return new Problem(
    'unauthenticated',
    'UNAUTHORIZED',
    'The bot token is wrong, has expired or has ended. Its member can make another one.',
  );
}
