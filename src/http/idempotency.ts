import { operatorId, type Actor, type Guest } from '../actor.ts';
import type { Context, Repeatable } from '../context.ts';
import { keepsReply, type ReplyingOperation } from '../contract/operation.ts';
import { fromUtf8, toHex, utf8 } from '../crypto/bytes.ts';
import { canonicalJsonBytes } from '../crypto/canonical-json.ts';
import { hmacSha256, sha256 } from '../crypto/hash.ts';
import { deriveKey } from '../crypto/hkdf.ts';
import { openWithKey, sealWithKey } from '../crypto/sealing.ts';
import { Problem } from '../problem.ts';
import type { KnownUpload } from './known-upload.ts';
import { findReply, rememberReply, type IdempotencyKey } from '../store/idempotency.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
const sealInfo = 'conclave/idempotent-reply/v1';
const requestInfo = 'conclave/idempotent-request/v1';

/**
 * How a creating POST of a member is known again by its `Idempotency-Key`, for 24 hours.
 *
 * Replies are kept sealed: under a key of the node together with the header, of which the store has only a hash. Whoever has the
 * store and the node secret still needs the key that the client made up. Of those that hold secrets nothing is kept but that
 * they were given.
 */
export function repeatableRequest(
  ctx: Context,
  op: ReplyingOperation,
  actor: Actor | Guest,
  header: string,
  input: Record<string, unknown>,
  body?: KnownUpload,
): Repeatable | undefined {
  // The operator is no member whose key it could be.
  if (actor.kind !== 'member' || actor.memberId === operatorId) return undefined;
  const key: IdempotencyKey = { memberId: actor.memberId, keyHash: toHex(sha256(utf8(header))) };
  // Under a key of the node: an input can hold a password, which could be guessed from a bare hash in a stolen store.
  const hashKey = deriveKey(ctx.keys.wrap, requestInfo);
  const asked = [utf8(`${op.id}\0`), canonicalJsonBytes(input)];
  const requestHash = async (): Promise<string> =>
    toHex(hmacSha256(hashKey, ...asked, ...(body === undefined ? [] : [utf8(`\0${await body.name()}`)])));
  const aad = utf8(`${key.memberId}/${key.keyHash}`);
  const sealKey = hmacSha256(deriveKey(ctx.keys.wrap, sealInfo), utf8(header));
  return {
    async earlier(db) {
      const first = await findReply(db, key, ctx.clock.now());
      if (first === undefined) return undefined;
      if (first.requestHash !== (await requestHash())) {
        throw new Problem(
          'conflict',
          'IDEMPOTENCY_KEY_REUSED',
          'This Idempotency-Key was used for a different request. Send a new one.',
        );
      }
      if (first.reply === undefined) throw notKept();
      return { reply: JSON.parse(fromUtf8(openWithKey(sealKey, first.reply, aad))) as unknown };
    },
    async keep(db, reply) {
      if (body?.isWhole() === false) throw new Error(`${op.id} keeps a reply, and has not read the body to its end`);
      const now = ctx.clock.now();
      const sealed = !keepsReply(op) ? undefined : sealWithKey(sealKey, utf8(JSON.stringify(reply)), aad, ctx.random);
      await rememberReply(
        db,
        key,
        { requestHash: await requestHash(), reply: sealed },
        { now, expiresAt: now + KEPT_MS },
      );
    },
  };
}

function notKept(): Problem {
  return new Problem(
    'conflict',
    'IDEMPOTENCY_REPLY_NOT_KEPT',
    'The request with this Idempotency-Key was carried out before. Its answer held secrets and was not kept. To repeat the request, send a new key.',
  );
}
