import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { PoolTokenRow } from '../../../platform/store/tables/pool.ts';
import type { AclDocument } from '../../../crypto/formats/access-list/document.ts';
import { nodeAsAdmin } from '../acl/signer.ts';
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
  await refuseOver(ctx, token, { ...row, expires_at: Date.parse(token.expiresAt) });
  return token;
}

/**
 * Counts a use. It must run in the transaction of the admission.
 * @throws Problem forbidden JOIN_TOKEN_REFUSED; NODE_REFUSED for a node that the token has admitted before, and that is no member now
 */
export async function useToken(tx: Context, token: TokenDocument, nodeId: string): Promise<void> {
  const row = await tx.db
    .selectFrom('pool_tokens')
    .select(['revoked_at', 'expires_at'])
    .where('id', '=', token.tokenId)
    .executeTakeFirst();
  const nodes = await refuseOver(tx, token, row);
  if (nodes.includes(nodeId))
    throw new Problem(
      'forbidden',
      'NODE_REFUSED',
      `The join token has admitted node ${nodeId} before. An administrator decides.`,
    );
  await tx.db
    .insertInto('pool_token_uses')
    .values({ token_id: token.tokenId, node_id: nodeId, used_at: tx.clock.now() })
    .execute();
}

/** @returns the nodes that the token has admitted */
async function refuseOver(
  ctx: Context,
  { tokenId, uses, issuedBy }: TokenDocument,
  row: Pick<PoolTokenRow, 'revoked_at' | 'expires_at'> | undefined,
): Promise<string[]> {
  if (row === undefined || row.revoked_at !== null) throw refusedToken('The join token was revoked.');
  if (row.expires_at <= ctx.clock.now()) throw refusedToken('The join token has expired.');
  if (!(await isAdministrator(ctx, issuedBy))) throw formerMaker();
  const used = await ctx.db.selectFrom('pool_token_uses').select('node_id').where('token_id', '=', tokenId).execute();
  if (used.length >= uses) throw refusedToken('The join token is used up.');
  return used.map(({ node_id: nodeId }) => nodeId);
}

/** Who lost the role on this node has no right left in a token either, whatever the access list says of the key. */
async function isAdministrator(ctx: Context, memberId: string): Promise<boolean> {
  if (memberId === nodeAsAdmin(ctx).memberId) return true;
  const member = await ctx.db
    .selectFrom('members')
    .select(['type', 'status'])
    .where('id', '=', memberId)
    .executeTakeFirst();
  return member?.type === 'Admin' && member.status === 'active';
}

export function formerMaker(): Problem {
  return refusedToken('The join token was made by somebody who is no administrator any more.');
}

function refusedToken(message: string): Problem {
  return new Problem('forbidden', 'JOIN_TOKEN_REFUSED', message);
}
