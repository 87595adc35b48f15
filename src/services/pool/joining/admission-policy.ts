import type { Context } from '../../../service/context.ts';
import type { AdmissionPolicy } from '../../../service/ports/network.ts';
import type { AclWriter } from '../../../crypto/formats/access-list/document.ts';
import { endOf, provenWriters, rememberedWriters } from '../acl/proven-writers.ts';
import { nodeDirectory } from './node-directory.ts';

type Stores = Pick<Context, 'config' | 'db' | 'clock' | 'keys' | 'log'>;

/** Admits the nodes of the active access list whose time hasn't ended. A node outside of the pool admits nobody. */
export function admissionPolicy(ctx: Stores): AdmissionPolicy {
  const writersNow = rememberedWriters(ctx);
  const { nodeId: self } = ctx.keys;
  const isIn = (writer: AclWriter | undefined) => writer !== undefined && !isOver(ctx, writer);
  return {
    directory: nodeDirectory(ctx),
    async isAdmitted(nodeId) {
      const writers = await writersNow();
      return isIn(writers?.byId.get(self)) && isIn(writers?.byId.get(nodeId));
    },
    names: async (nodeId) => (await writersNow())?.byId.has(nodeId) ?? false,
    async members() {
      const writers = await writersNow();
      if (writers === undefined || !isIn(writers.byId.get(self))) return [];
      const contacts = await ctx.db.selectFrom('pool_contacts').select(['node_id', 'addresses']).execute();
      const known = new Map(contacts.map((row) => [row.node_id, row.addresses]));
      return [...writers.byId.values()]
        .filter((writer) => writer.nodeId !== self && isIn(writer))
        .map(({ nodeId }) => ({ nodeId, addresses: JSON.parse(known.get(nodeId) ?? '[]') as string[] }));
    },
    async nextEnd() {
      const writers = await writersNow();
      const ends = [...(writers?.byId.values() ?? [])].flatMap((writer) => endOf(writer) ?? []);
      const coming = ends.filter((end) => end > ctx.clock.now());
      return coming.length === 0 ? undefined : coming.reduce((one, other) => Math.min(one, other));
    },
  };
}

export function isOver({ clock }: Pick<Context, 'clock'>, writer: Pick<AclWriter, 'expiresAt'>): boolean {
  const end = endOf(writer);
  return end !== null && end <= clock.now();
}

/** Whether the active access list names a node, and its admission hasn't expired. */
export async function isWriter(ctx: Stores, nodeId: string): Promise<boolean> {
  // Strangers ask as well. For most of them the index is enough, and no list has to be read.
  const indexed = await ctx.db
    .selectFrom('pool_writers')
    .select('node_id')
    .where('node_id', '=', nodeId)
    .where('removed_version', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (indexed === undefined) return false;
  const writer = (await provenWriters(ctx))?.byId.get(nodeId);
  return writer !== undefined && !isOver(ctx, writer);
}

/** The status of this node in the pool that it follows. */
export async function membership(ctx: Stores): Promise<'member' | 'expired' | 'removed'> {
  const writer = (await provenWriters(ctx))?.byId.get(ctx.keys.nodeId);
  if (writer === undefined) return 'removed';
  return isOver(ctx, writer) ? 'expired' : 'member';
}

/** The node of the pool that serves a mail domain. */
export async function nodeOfMailDomain(
  ctx: Stores,
  domain: string,
): Promise<Pick<AclWriter, 'nodeId' | 'publicKey'> | undefined> {
  const wanted = domain.toLowerCase();
  const writers = [...((await provenWriters(ctx))?.byId.values() ?? [])];
  const found = writers.find((writer) => writer.mailDomain === wanted && !isOver(ctx, writer));
  return found === undefined ? undefined : { nodeId: found.nodeId, publicKey: found.publicKey };
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
