import { transaction, type Context } from '../../service/context.ts';
import { forgetEndedMutes } from '../../shared/members/blocks.ts';
import { purgeBots } from '../../shared/members/bot-tokens.ts';
import { tellEnded } from '../../shared/members/ended-app-passwords.ts';
import { eachStep } from '../../service/sweep.ts';
import { forgetExpiredReplies } from '../../platform/store/idempotency.ts';

/** Rows for each transaction. Other writers wait for it, so it is small. */
const BATCH = 1000;
/** A device is forgotten when nobody signed in on it for a year. */
const DEVICE_MS = 365 * 86_400_000;

/**
 * Deletes what has expired: sessions, app passwords, bot tokens, replaced tokens, keys of vaults that closed by themselves, nonces of challenges that
 * would be refused for their age, and replies that no repeated request gets any more. Safe from several processes.
 */
export async function purgeExpired(ctx: Context): Promise<{ sessions: number; nonces: number; replies: number }> {
  const purged = { sessions: 0, nonces: 0, replies: 0 };
  await eachStep([
    async () => await transaction(ctx, forgetUnused),
    async () => await inBatches(ctx, async (tx, nowMs) => await forgetEndedMutes(tx, nowMs, BATCH)),
    async () => await inBatches(ctx, purgeAppPasswords),
    async () => await inBatches(ctx, async (tx, nowMs) => await purgeBots(tx, nowMs, BATCH)),
    async () => (purged.sessions = await inBatches(ctx, purgeSessions)),
    async () => (purged.nonces = await inBatches(ctx, purgeNonces)),
    async () =>
      (purged.replies = await inBatches(ctx, async (tx, nowMs) => await forgetExpiredReplies(tx.db, nowMs, BATCH))),
  ]);
  return purged;
}

/** Deletes secrets of sessions that were unused for so long that they would be refused, and expired links from old tokens to newer ones. */
async function forgetUnused(tx: Context): Promise<void> {
  const since = tx.clock.now() - tx.config.vaults.idleMs;
  await tx.db.deleteFrom('session_secrets').where('used_at', '<=', since).execute();
  await tx.db
    .deleteFrom('known_devices')
    .where('used_at', '<=', tx.clock.now() - DEVICE_MS)
    .execute();
  await tx.db.deleteFrom('replaced_tokens').where('good_until', '<=', tx.clock.now()).execute();
}

async function inBatches(ctx: Context, purge: (tx: Context, nowMs: number) => Promise<number>): Promise<number> {
  const now = ctx.clock.now();
  let total = 0;
  for (;;) {
    const purged = await transaction(ctx, async (tx) => await purge(tx, now));
    total += purged;
    if (purged < BATCH) return total;
  }
}

async function purgeSessions(tx: Context, nowMs: number): Promise<number> {
  const purged = await tx.db
    .deleteFrom('sessions')
    .where('id', 'in', (e) => e.selectFrom('sessions').select('id').where('expires_at', '<=', nowMs).limit(BATCH))
    .returning('id')
    .execute();
  const ids = purged.map((session) => session.id);
  if (ids.length > 0) tx.afterCommit(() => tx.realtime.endSessions(ids));
  return ids.length;
}

async function purgeAppPasswords(tx: Context, nowMs: number): Promise<number> {
  const purged = await tx.db
    .deleteFrom('app_passwords')
    .where('id', 'in', (e) => e.selectFrom('app_passwords').select('id').where('expires_at', '<=', nowMs).limit(BATCH))
    .returning('id')
    .execute();
  const ids = purged.map(({ id }) => id);
  await tellEnded(tx, ids);
  return ids.length;
}

async function purgeNonces(tx: Context, nowMs: number): Promise<number> {
  const purged = await tx.db
    .deleteFrom('used_direct_login_tokens')
    .where('nonce', 'in', (e) =>
      e.selectFrom('used_direct_login_tokens').select('nonce').where('expires_at', '<=', nowMs).limit(BATCH),
    )
    .executeTakeFirst();
  return Number(purged.numDeletedRows);
}
