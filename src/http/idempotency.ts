import { operatorId, type Actor, type Guest } from '../service/actor.ts';
import type { Context, Repeatable } from '../service/context.ts';
import { keepsReply, type ReplyingOperation } from '../contract/operation.ts';
import { fromUtf8, toHex, utf8 } from '../crypto/bytes.ts';
import { canonicalJsonBytes } from '../crypto/canonical-json.ts';
import { hmacSha256, sha256 } from '../crypto/hash.ts';
import { deriveKey } from '../crypto/hkdf.ts';
import { openWithKey, sealWithKey } from '../crypto/sealing.ts';
import { Problem } from '../base/problem.ts';
import type { KnownUpload } from './known-upload.ts';
import { comparable } from './raw-fields.ts';
import { findReply, rememberReply, type IdempotencyKey } from '../platform/store/idempotency.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
const sealInfo = 'conclave/idempotent-reply/v1';
const requestInfo = 'conclave/idempotent-request/v1';

/**
 * Recognises a repeated creating POST of a member by its `Idempotency-Key`, for 24 hours.
 *
 * Replies are kept encrypted, under a key that is derived from a node key and the header. The store has only a hash of the header. So an
 * attacker with the store and the node secret still needs the key that the client made up. Of a reply with secrets, only the fact that it
 * was given is kept.
 */
export function repeatableRequest(
  ctx: Context,
  op: ReplyingOperation,
  actor: Actor | Guest,
  header: string,
  input: Record<string, unknown>,
  body?: KnownUpload,
): Repeatable | undefined {
  // The operator is not a member, so the key could not belong to anybody.
  if (actor.kind !== 'member' || actor.memberId === operatorId) return undefined;
  const key: IdempotencyKey = { memberId: actor.memberId, keyHash: toHex(sha256(utf8(header))) };
  // Keyed with a node key: an input can hold a password, which could be guessed from a plain hash in a stolen store.
  const hashKey = deriveKey(ctx.keys.wrap, requestInfo);
  const asked = [utf8(`${op.id}\0`), canonicalJsonBytes(comparable(input))];
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
