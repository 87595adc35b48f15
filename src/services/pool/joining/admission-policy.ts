import type { Context } from '../../../context.ts';
import type { AdmissionPolicy } from '../../../gossip/port.ts';
import { poolHead } from '../acl/store.ts';

type Stores = Pick<Context, 'db' | 'clock' | 'keys'>;

/** Admits the nodes of the active access list whose time hasn't ended. A node outside of the pool admits nobody. */
export function admissionPolicy(ctx: Stores): AdmissionPolicy {
  return {
    async isAdmitted(nodeId) {
      return (await isWriter(ctx, ctx.keys.nodeId)) && (await isWriter(ctx, nodeId));
    },
    async members() {
      if (!(await isWriter(ctx, ctx.keys.nodeId))) return [];
      const rows = await inForce(ctx)
        .leftJoin('pool_contacts as c', 'c.node_id', 'w.node_id')
        .select(['w.node_id', 'c.addresses'])
        .where('w.node_id', '!=', ctx.keys.nodeId)
        .orderBy('w.node_id')
        .execute();
      return rows.map((row) => ({
        nodeId: row.node_id,
        addresses: row.addresses === null ? [] : (JSON.parse(row.addresses) as string[]),
      }));
    },
  };
}

/** Whether the active access list names a node, and its admission hasn't expired. */
export async function isWriter(ctx: Stores, nodeId: string): Promise<boolean> {
  const found = await inForce(ctx).select('w.node_id').where('w.node_id', '=', nodeId).executeTakeFirst();
  return found !== undefined;
}

/** The status of this node in the pool that it follows. */
export async function membership(ctx: Stores): Promise<'member' | 'expired' | 'removed'> {
  const head = await poolHead(ctx.db);
  if (head === undefined) return 'removed';
  const row = await ctx.db
    .selectFrom('pool_writers')
    .select(['expires_at', 'removed_version'])
    .where('pool_id', '=', head.pool_id)
    .where('node_id', '=', ctx.keys.nodeId)
    .executeTakeFirst();
  if (row === undefined || row.removed_version !== null) return 'removed';
  return row.expires_at !== null && row.expires_at <= ctx.clock.now() ? 'expired' : 'member';
}

/** The node of the pool that serves a mail domain. */
export async function nodeOfMailDomain(ctx: Stores, domain: string) {
  return await inForce(ctx)
    .select(['w.node_id as nodeId', 'w.public_key as publicKey'])
    .where('w.mail_domain', '=', domain.toLowerCase())
    .executeTakeFirst();
}

function inForce({ db, clock }: Stores) {
  return db
    .selectFrom('pool_writers as w')
    .innerJoin('pool_state as s', 's.pool_id', 'w.pool_id')
    .where('w.removed_version', 'is', null)
    .where((e) => e.or([e('w.expires_at', 'is', null), e('w.expires_at', '>', clock.now())]));
}

/** Stores the address at which a node was just reached. */
export async function noteContact(
  ctx: Context,
  nodeId: string,
  { addresses, seenAt }: { readonly addresses: readonly string[]; readonly seenAt?: number },
): Promise<void> {
  const news = {
    ...(addresses.length > 0 && { addresses: JSON.stringify(addresses) }),
    ...(seenAt !== undefined && { last_seen_at: seenAt }),
  };
  if (Object.keys(news).length === 0) return;
  await ctx.db
    .insertInto('pool_contacts')
    .values({ node_id: nodeId, addresses: '[]', last_seen_at: null, ...news })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet(news))
    .execute();
}

/** The last known addresses of a node. */
export async function addressesOf({ db }: Pick<Context, 'db'>, nodeId: string): Promise<string[]> {
  const row = await db.selectFrom('pool_contacts').select('addresses').where('node_id', '=', nodeId).executeTakeFirst();
  return row === undefined ? [] : (JSON.parse(row.addresses) as string[]);
}
