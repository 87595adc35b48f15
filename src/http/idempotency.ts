import { operatorId, type Actor, type Guest } from '../actor.ts';
import { transaction, type Context } from '../context.ts';
import type { Operation } from '../contract/operation.ts';
import { fromUtf8, toHex, utf8 } from '../crypto/bytes.ts';
import { canonicalJsonBytes } from '../crypto/canonical-json.ts';
import { hmacSha256, sha256 } from '../crypto/hash.ts';
import { deriveKey } from '../crypto/hkdf.ts';
import { openWithKey, sealWithKey } from '../crypto/sealing.ts';
import { Problem } from '../problem.ts';
import { releaseKey, rememberReply, reserveKey, type IdempotencyKey, type Remembered } from '../store/idempotency.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
const sealInfo = 'conclave/idempotent-reply/v1';
const requestInfo = 'conclave/idempotent-request/v1';

/**
 * Performs a creating POST at most once per `Idempotency-Key` of a member, for 24 hours; a repeat gets the first reply.
 *
 * Replies can hold what is shown only once, so they are kept sealed: under a key of the node together with the header, of which the
 * store has only a hash. Whoever has the store and the node secret still needs the key that the client made up.
 */
export async function once<T>(
  ctx: Context,
  op: Operation,
  actor: Actor | Guest,
  header: string,
  input: Record<string, unknown>,
  perform: () => Promise<T>,
): Promise<T> {
  // The operator is no member whose key it could be.
  if (actor.kind !== 'member' || actor.memberId === operatorId) return await perform();
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw new Problem('invalid', 'VALIDATION_ERROR', 'Idempotency-Key: must be 1 to 255 visible ASCII characters');
  }
  const key: IdempotencyKey = { memberId: actor.memberId, keyHash: toHex(sha256(utf8(header))) };
  // Under a key of the node: an input can hold a password, which could be guessed from a bare hash in a stolen store.
  const hashKey = deriveKey(ctx.keys.wrap, requestInfo);
  const requestHash = toHex(hmacSha256(hashKey, utf8(`${op.id}\0`), canonicalJsonBytes(input)));
  const aad = utf8(`${key.memberId}/${key.keyHash}`);
  const sealKey = hmacSha256(deriveKey(ctx.keys.wrap, sealInfo), utf8(header));
  const now = ctx.clock.now();
  const first = await transaction(ctx, (tx) => reserveKey(tx.db, key, requestHash, { now, expiresAt: now + KEPT_MS }));
  if (first !== undefined) {
    return replay(first, requestHash, (sealed) => openWithKey(sealKey, sealed, aad)) as T;
  }

  let reply: T;
  try {
    reply = await perform();
  } catch (error) {
    await transaction(ctx, (tx) => releaseKey(tx.db, key));
    throw error;
  }
  const sealed = sealWithKey(sealKey, utf8(JSON.stringify(reply)), aad, ctx.random);
  await transaction(ctx, (tx) => rememberReply(tx.db, key, sealed));
  return reply;
}

function replay(first: Remembered, requestHash: string, open: (sealed: Uint8Array) => Uint8Array): unknown {
  if (first.requestHash !== requestHash) {
    throw new Problem('conflict', 'IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key belongs to another request.');
  }
  if (first.reply === undefined) {
    throw new Problem(
      'conflict',
      'IDEMPOTENCY_KEY_IN_USE',
      'The first request with this Idempotency-Key has not been answered.',
    );
  }
  return JSON.parse(fromUtf8(open(first.reply)));
}
