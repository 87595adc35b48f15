import { transaction, type Context } from '../../../context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { memberIdOf } from '../../../crypto/public-key.ts';
import { Problem } from '../../../problem.ts';
import { poolIdOf, type AclAdmin, type AclDocument } from '../acl/document.ts';
import { signList, type SignedList } from '../acl/chain.ts';
import { adopt, currentList } from '../acl/store.ts';

/** What a pool is for, until somebody says otherwise. */
const DATABASE = 'conclave';
const MAX_FIRST_ADMINS = 50;

/** The node's own key, as an administrator: what the operator signs with. */
export function nodeAsAdmin({ keys }: Pick<Context, 'keys'>): AclAdmin {
  const { publicKey } = keys.identity;
  return { memberId: memberIdOf(publicKey), publicKey: toHex(publicKey) };
}

/**
 * The list that counts. A node that follows no pool gets one of its own, with itself as its only node, administered by its key and
 * by the administrators that it has now. Of several that do so at once one wins, and all get its list.
 */
export async function ensureList(ctx: Context): Promise<SignedList> {
  const found = await currentList(ctx.db);
  if (found !== undefined) return found;
  const founded = await newPool(ctx);
  await transaction(ctx, async (tx) => await adopt(tx, { from: undefined, lists: [founded], source: ctx.keys.nodeId }));
  const now = await currentList(ctx.db);
  if (now === undefined) throw new Problem('internal', 'STORE_DAMAGED', 'The first access list was not stored.');
  return now;
}

export async function newPool(ctx: Context): Promise<SignedList> {
  const node = nodeAsAdmin(ctx);
  const issuedAt = new Date(ctx.clock.now()).toISOString();
  const members = await ctx.db
    .selectFrom('members')
    .select(['id', 'public_key'])
    .where('type', '=', 'Admin')
    .where('status', '=', 'active')
    .where('id', '!=', node.memberId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(MAX_FIRST_ADMINS)
    .execute();
  const draft: AclDocument = {
    t: 'pool-acl',
    v: 1,
    poolId: '',
    version: 1,
    prev: null,
    mode: 'approval',
    scope: { database: DATABASE },
    writers: [
      {
        nodeId: ctx.keys.nodeId,
        publicKey: node.publicKey,
        addedAt: issuedAt,
        addedBy: node.memberId,
        expiresAt: null,
      },
    ],
    admins: [node, ...members.map((row) => ({ memberId: row.id, publicKey: row.public_key }))],
    threshold: 1,
    issuedAt,
  };
  const document = { ...draft, poolId: poolIdOf(draft) };
  return signList(document, node.memberId, ctx.keys.identity.privateKey);
}
