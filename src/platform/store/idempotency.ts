import type { Db } from './database.ts';

/** The first answer to a request that its sender may repeat. */
export interface Remembered {
  /** HMAC-SHA256 of operation and input, hex; a second request with the same key must have the same hash */
  readonly requestHash: string;
  /** undefined when the reply held secrets: secrets are not kept */
  readonly reply: Uint8Array | undefined;
}

export interface IdempotencyKey {
  readonly memberId: string;
  /** SHA-256 of the key, hex */
  readonly keyHash: string;
}

/** A row exists as soon as its request is done, and never earlier. */
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
 * Takes the key, in the transaction that does the work of the request, after `findReply` found nothing in that transaction. When two
 * processes do this at once, the second waits here, runs again after the collision, and finds the reply of the first.
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
    // With this clause PostgreSQL reports a row that this transaction can't see as a collision, and not as a violation.
    .onConflict((conflict) => conflict.columns(['member_id', 'key_hash']).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) throw new Error('what was asked was done twice in one transaction');
}

/** Forgets the replies to a member. The keys stay, so nothing is done twice. */
export async function forgetReplies(db: Db, memberId: string): Promise<void> {
  await db.updateTable('idempotency_keys').set({ reply: null }).where('member_id', '=', memberId).execute();
}

/** Removes expired keys, at most `limit`. @returns how many were removed */
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
