import { transaction, type Context } from './context.ts';

/**
 * What this request was answered before. For services whose preparation is costly; called after the check of what the actor may
 * do, so that who may no longer do it learns nothing.
 * @throws Problem conflict IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_REPLY_NOT_KEPT
 */
export async function earlierReply(ctx: Context): Promise<{ readonly reply: unknown } | undefined> {
  return await ctx.repeatable?.earlier(ctx.db);
}

/**
 * Does what was asked, unless it was done before: then its reply is the one from then. Effect and reply are in one transaction, so
 * that whatever ends the process leaves both or neither. Called in the transaction, after the check of what the actor may do.
 * @throws Problem conflict IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_REPLY_NOT_KEPT
 */
export async function once<T>(tx: Context, effect: () => Promise<T>): Promise<T> {
  const earlier = await earlierReply(tx);
  if (earlier !== undefined) return earlier.reply as T;
  const reply = await effect();
  await tx.repeatable?.keep(tx.db, reply);
  return reply;
}

/** The same in a transaction of its own, where nothing has to be checked in it first. */
export async function transactionOnce<T>(ctx: Context, effect: (tx: Context) => Promise<T>): Promise<T> {
  return await transaction(ctx, async (tx) => await once(tx, async () => await effect(tx)));
}
