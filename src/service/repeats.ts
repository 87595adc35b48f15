import { transaction, type Context } from './context.ts';

/**
 * The stored reply to a repeated request, for services with costly preparation. Call it after the permission check, so an actor who lost
 * the permission learns nothing.
 *
 * @throws Problem conflict IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_REPLY_NOT_KEPT
 */
export async function earlierReply(ctx: Context): Promise<{ readonly reply: unknown } | undefined> {
  return await ctx.repeatable?.earlier(ctx.db);
}

/**
 * Carries out a request once, and answers a repeat with the stored reply. Effect and reply are stored in one transaction, so a crash
 * leaves both or neither. Call it in the transaction, after the permission check.
 *
 * @throws Problem conflict IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_REPLY_NOT_KEPT
 */
export async function once<T>(tx: Context, effect: () => Promise<T>): Promise<T> {
  const earlier = await earlierReply(tx);
  if (earlier !== undefined) return earlier.reply as T;
  const reply = await effect();
  await tx.repeatable?.keep(tx.db, reply);
  return reply;
}

/**
 * The same for a reply whose content may be erased or changed later: of that nothing is kept, and a repeat gets what is there now.
 * @param effect answers beside the reply what is kept of it, without what may be erased
 * @param anew makes the reply to a repeat
 */
export async function onceAnew<T, Kept>(
  tx: Context,
  effect: () => Promise<{ readonly reply: T; readonly kept: Kept }>,
  anew: (kept: Kept) => Promise<T>,
): Promise<T> {
  const earlier = await earlierReply(tx);
  if (earlier !== undefined) return await anew(earlier.reply as Kept);
  const { reply, kept } = await effect();
  await tx.repeatable?.keep(tx.db, kept);
  return reply;
}

/** As `once`, in a new transaction, for requests that need no earlier check in the transaction. */
export async function transactionOnce<T>(ctx: Context, effect: (tx: Context) => Promise<T>): Promise<T> {
  return await transaction(ctx, async (tx) => await once(tx, async () => await effect(tx)));
}
