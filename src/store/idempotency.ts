import type { Db } from './database.ts';

/** The first answer to a request that its sender may repeat. */
export interface Remembered {
  /** HMAC-SHA256 of operation and input, hex: the same key must mean the same request */
  readonly requestHash: string;
  /** undefined where it held secrets, which are not kept */
  readonly reply: Uint8Array | undefined;
}

export interface IdempotencyKey {
  readonly memberId: string;
  /** SHA-256 of the key, hex */
  readonly keyHash: string;
}

/** A row is there when what was asked is done, never earlier. */
export async function findReply(db: Db, key: IdempotencyKey, now: number): Promise<Remembered | undefined> {
  const found = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'reply'])
    .where('member_id', '=', key.memberId)
    .where('key_hash', '=', key.keyHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return found === undefined ? undefined : { requestHash: found.request_hash, reply: found.reply ?? undefined };
}

/**
 * Takes the key, in the transaction that does what was asked, after `findReply` found nothing in it. Of two at once in several
 * processes the second waits here, runs again after the collision, and finds the reply of the first.
 */
export async function rememberReply(
  db: Db,
  key: IdempotencyKey,
  remembered: Remembered,
  times: { readonly now: number; readonly expiresAt: number },
): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('member_id', '=', key.memberId)
    .where('key_hash', '=', key.keyHash)
    .where('expires_at', '<=', times.now)
    .execute();
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('idempotency_keys')
    .values({
      member_id: key.memberId,
      key_hash: key.keyHash,
      request_hash: remembered.requestHash,
      reply: remembered.reply ?? null,
      expires_at: times.expiresAt,
    })
    // A row that this transaction doesn't see is a collision to PostgreSQL then, and not a violation.
    .onConflict((conflict) => conflict.columns(['member_id', 'key_hash']).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) throw new Error('what was asked was done twice in one transaction');
}

/** @returns how many keys had expired and are gone, at most `limit` */
export async function forgetExpiredReplies(db: Db, now: number, limit: number): Promise<number> {
  const expired = await db
    .selectFrom('idempotency_keys')
    .select(['member_id', 'key_hash'])
    .where('expires_at', '<=', now)
    .limit(limit)
    .execute();
  for (const { member_id, key_hash } of expired)
    await db
      .deleteFrom('idempotency_keys')
      .where('member_id', '=', member_id)
      .where('key_hash', '=', key_hash)
      .execute();
  return expired.length;
}
