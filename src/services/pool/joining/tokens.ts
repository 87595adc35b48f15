import { requireRole, type Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { poolLimits } from '../../../contract/pool/limits.ts';
import type { JoinToken } from '../../../contract/pool/shapes.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { timeFrom } from '../../../base/iso-time.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { earlierReply, once } from '../../../service/repeats.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { PoolTokenRow } from '../../../platform/store/tables/pool.ts';
import { ensureList } from '../acl/commit.ts';
import type { AclDocument } from '../../../crypto/formats/access-list/document.ts';
import { administrators, assertStillAdministrator, assertStillSigning, nodeAsAdmin, signerFor } from '../acl/signer.ts';
import { futureTime } from '../input.ts';
import { note } from '../note.ts';
import { signToken, tokenIdOf, tokenKey, writeToken, type TokenDocument } from './token.ts';

/** How long a token is kept after its end, for people who look what it was used for. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
/** Tokens that are not over, on one node. */
const MAX_TOKENS = 100;

export interface NewToken {
  readonly expiresAt: string;
  readonly uses: number;
  readonly admittedUntil?: string | undefined;
}

/** Makes a join token. The secret is in this reply alone: the node keeps only the public key of the token. */
export async function createToken(
  ctx: Context,
  actor: Actor,
  input: NewToken,
): Promise<{ token: string; joinToken: JoinToken }> {
  requireRole(actor, administrators);
  // A repeat is refused here, because its reply held a secret and was not kept.
  await earlierReply(ctx);
  const now = ctx.clock.now();
  const ends = timeFrom(input.expiresAt);
  if (ends === undefined || ends <= now || ends > now + poolLimits.tokenDays * 86_400_000)
    throw fieldProblem('expiresAt', `must be in the future, and at most ${poolLimits.tokenDays} days from now`);
  const { document: list } = await ensureList(ctx);
  refuseUnable(ctx, list);
  const signer = await signerFor(ctx, actor, list);
  const secret = ctx.random(32);
  const { publicKey } = tokenKey(secret);
  const tokenId = tokenIdOf(publicKey);
  const document: TokenDocument = {
    t: 'pool-token',
    v: 1,
    poolId: list.poolId,
    nodeId: ctx.keys.nodeId,
    tokenId,
    publicKey: toHex(publicKey),
    uses: input.uses,
    issuedAt: new Date(now).toISOString(),
    issuedBy: signer.memberId,
    expiresAt: new Date(ends).toISOString(),
    admittedUntil: input.admittedUntil === undefined ? null : futureTime(ctx, input.admittedUntil, 'admittedUntil'),
  };
  const row: PoolTokenRow = {
    id: tokenId,
    pool_id: list.poolId,
    ...signToken(document, signer),
    created_at: now,
    expires_at: ends,
    revoked_at: null,
  };
  const token = writeToken({ poolId: list.poolId, nodeId: ctx.keys.nodeId, secret });
  return await transaction(ctx, async (tx) => {
    await assertStillSigning(tx, actor);
    return await once(tx, async () => {
      await refuseTooMany(tx);
      await tx.db.insertInto('pool_tokens').values(row).execute();
      note(tx, actor, 'pool.create-token', tokenId);
      return { token, joinToken: tokenDto(tx, row, []) };
    });
  });
}

/** A token admits without anybody at hand, so the node itself must be able to sign the list. */
function refuseUnable(ctx: Context, { admins, threshold }: Pick<AclDocument, 'admins' | 'threshold'>): void {
  const self = nodeAsAdmin(ctx);
  if (threshold > 1)
    throw new Problem(
      'conflict',
      'POOL_TOKENS_IMPOSSIBLE',
      `Join tokens need a pool in which one signature is enough, and this one needs ${threshold}.`,
    );
  if (!admins.some(({ memberId }) => memberId === self.memberId))
    throw new Problem(
      'conflict',
      'POOL_TOKENS_IMPOSSIBLE',
      `The key of this node is not an administrator of the pool, so it can't admit anybody by a token. Add it with: conclave admin nodes acl update --add-key ${self.publicKey}`,
    );
}

async function refuseTooMany(tx: Context): Promise<void> {
  const { count } = await tx.db
    .selectFrom('pool_tokens')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', tx.clock.now())
    .executeTakeFirstOrThrow();
  if (count >= MAX_TOKENS)
    throw new Problem(
      'conflict',
      'POOL_TOKENS_FULL',
      `This node has ${MAX_TOKENS} join tokens. Revoke one with: conclave admin nodes token revoke`,
    );
}

/** The join tokens of this node, newest first. */
export async function listTokens(
  ctx: Context,
  actor: Actor,
  page: PageRequest,
): Promise<{ joinTokens: JoinToken[] } & Next> {
  requireRole(actor, administrators);
  const { document } = await ensureList(ctx);
  const { poolId } = document;
  const { rows, next } = await readPage(
    ctx,
    ctx.db.selectFrom('pool_tokens').selectAll().where('pool_id', '=', poolId),
    {
      list: 'pool.tokens',
      memberId: actor.memberId,
      filter: { poolId },
      by: [desc('created_at', (row) => row.created_at), desc('id', (row) => row.id)],
    },
    page,
  );
  const ids = rows.map(({ id }) => id);
  const uses =
    ids.length === 0
      ? []
      : await ctx.db
          .selectFrom('pool_token_uses')
          .selectAll()
          .where('token_id', 'in', ids)
          .orderBy('used_at')
          .execute();
  note(ctx, actor, 'pool.tokens');
  const usedBy = (id: string) => uses.filter((use) => use.token_id === id).map((use) => use.node_id);
  return { joinTokens: rows.map((row) => tokenDto(ctx, row, usedBy(row.id))), ...next };
}

/** Ends a token. Nodes that it admitted stay in the pool. */
export async function revokeToken(ctx: Context, actor: Actor, { id }: { id: string }): Promise<{ id: string }> {
  requireRole(actor, administrators);
  await transaction(ctx, async (tx) => {
    await assertStillAdministrator(tx, actor);
    const { numUpdatedRows } = await tx.db
      .updateTable('pool_tokens')
      .set({ revoked_at: tx.clock.now() })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n)
      throw new Problem('missing', 'POOL_TOKEN_NOT_FOUND', `This node has no join token ${id} that is not revoked.`);
    note(tx, actor, 'pool.revoke-token', id);
  });
  return { id };
}

function tokenDto(ctx: Context, row: PoolTokenRow, nodes: string[]): JoinToken {
  const { uses, issuedBy, issuedAt, expiresAt, admittedUntil } = JSON.parse(row.document) as TokenDocument;
  const left = row.expires_at <= ctx.clock.now() ? 'expired' : nodes.length >= uses ? 'used' : 'active';
  return {
    id: row.id,
    status: row.revoked_at === null ? left : 'revoked',
    uses,
    used: nodes.length,
    issuedAt,
    issuedBy,
    expiresAt,
    ...(admittedUntil !== null && { admittedUntil }),
    nodes,
  };
}

export async function purgeTokens({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const over = db
    .selectFrom('pool_tokens')
    .select('id')
    .where('expires_at', '<=', clock.now() - KEPT_MS);
  await db.deleteFrom('pool_token_uses').where('token_id', 'in', over).execute();
  await db
    .deleteFrom('pool_tokens')
    .where('expires_at', '<=', clock.now() - KEPT_MS)
    .execute();
}
