import type { Context } from '../../../context.ts';
import { Problem } from '../../../problem.ts';
import type { AclDocument } from '../acl/document.ts';
import { hasToken, readToken, type TokenDocument, type TokenProof } from './token.ts';

/**
 * The rule that keeps the number of uses over the whole pool, however it is parted: a token names one node, and only this node admits by
 * it. The node counts the use in the transaction that makes the new access list active.
 */

type List = Pick<AclDocument, 'poolId' | 'admins'>;

/**
 * Finds the token that a node shows. Whoever doesn't have the token learns nothing about it.
 * @throws Problem forbidden JOIN_TOKEN_REFUSED
 */
export async function shownToken(ctx: Context, list: List, shown: TokenProof, nodeId: string): Promise<TokenDocument> {
  const row = await ctx.db.selectFrom('pool_tokens').selectAll().where('id', '=', shown.id).executeTakeFirst();
  const token = row === undefined ? undefined : readToken(row, list.admins);
  const ours = token?.poolId === list.poolId && token.nodeId === ctx.keys.nodeId && token.tokenId === shown.id;
  if (row === undefined || token === undefined || !ours || !hasToken(token, shown.proof, nodeId))
    throw refusedToken('This node has no such join token. Give the address of the node that made it.');
  if (row.revoked_at !== null) throw refusedToken('The join token was revoked.');
  if (Date.parse(token.expiresAt) <= ctx.clock.now()) throw refusedToken('The join token has expired.');
  if ((await countUses(ctx, token)) >= token.uses) throw refusedToken('The join token is used up.');
  return token;
}

/** Counts a use. It must run in the transaction of the admission. @throws Problem forbidden JOIN_TOKEN_REFUSED */
export async function useToken(tx: Context, token: TokenDocument, nodeId: string): Promise<void> {
  const row = await tx.db
    .selectFrom('pool_tokens')
    .select(['revoked_at', 'expires_at'])
    .where('id', '=', token.tokenId)
    .executeTakeFirst();
  if (row === undefined || row.revoked_at !== null) throw refusedToken('The join token was revoked.');
  if (row.expires_at <= tx.clock.now()) throw refusedToken('The join token has expired.');
  if ((await countUses(tx, token)) >= token.uses) throw refusedToken('The join token is used up.');
  await tx.db
    .insertInto('pool_token_uses')
    .values({ token_id: token.tokenId, node_id: nodeId, used_at: tx.clock.now() })
    .execute();
}

async function countUses({ db }: Pick<Context, 'db'>, { tokenId }: TokenDocument): Promise<number> {
  const { count } = await db
    .selectFrom('pool_token_uses')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('token_id', '=', tokenId)
    .executeTakeFirstOrThrow();
  return count;
}

function refusedToken(message: string): Problem {
  return new Problem('forbidden', 'JOIN_TOKEN_REFUSED', message);
}
