import type { Db } from './database.ts';

/** The first answer to a request that its sender may repeat. */
export interface Remembered {
  /** HMAC-SHA256 of operation and input, hex: the same key must mean the same request */
  readonly requestHash: string;
  /** undefined while the first try is running, and when it was cut off before it could answer */
  readonly reply: Uint8Array | undefined;
}

export interface IdempotencyKey {
  readonly memberId: string;
  /** SHA-256 of the key, hex */
  readonly keyHash: string;
}

/**
 * Takes the key for this request. Runs in a transaction of its own, so that of two tries at once one gets it.
 *
 * @returns what stands there already, or undefined where the key is now taken by this request
 */
export async function reserveKey(
  db: Db,
  key: IdempotencyKey,
  requestHash: string,
  times: { readonly now: number; readonly expiresAt: number },
): Promise<Remembered | undefined> {
  await db
    .deleteFrom('idempotency_keys')
    .where('member_id', '=', key.memberId)
    .where('expires_at', '<=', times.now)
    .execute();
  const row = {
    member_id: key.memberId,
    key_hash: key.keyHash,
    request_hash: requestHash,
    reply: null,
    expires_at: times.expiresAt,
  };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['member_id', 'key_hash']).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n) return undefined;
  const found = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'reply'])
    .where('member_id', '=', key.memberId)
    .where('key_hash', '=', key.keyHash)
    .executeTakeFirstOrThrow();
  return { requestHash: found.request_hash, reply: found.reply ?? undefined };
}

export async function rememberReply(db: Db, key: IdempotencyKey, reply: Uint8Array): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ reply })
    .where('member_id', '=', key.memberId)
    .where('key_hash', '=', key.keyHash)
    .execute();
}

/** A try that failed frees its key. */
export async function releaseKey(db: Db, key: IdempotencyKey): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('member_id', '=', key.memberId)
    .where('key_hash', '=', key.keyHash)
    .where('reply', 'is', null)
    .execute();
}
