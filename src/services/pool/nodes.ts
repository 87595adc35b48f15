import { requireRole, type Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { PendingNode, PoolNode } from '../../contract/pool/shapes.ts';
import { fromHex, toHex } from '../../crypto/bytes.ts';
import { fingerprintOfKey } from '../../crypto/fingerprint.ts';
import type { Peer } from '../../service/ports/network.ts';
import { asc, readPage, type Next, type PageRequest } from '../../platform/store/page.ts';
import type { PoolContactRow, PoolRequestRow, PoolWriterRow } from '../../platform/store/tables/pool.ts';
import type { AclDocument, AclTombstone } from '../../crypto/formats/access-list/document.ts';
import { administrators } from './acl/signer.ts';
import { ensureList } from './acl/commit.ts';
import { countPending, selectPending } from './joining/queue.ts';
import { note } from './note.ts';

export interface SelfDetails {
  nodeId: string;
  publicKey: string;
  fingerprint: { hex: string; words: string[] };
  addresses: string[];
}

export function selfDetails({ keys, gossip }: Pick<Context, 'keys' | 'gossip'>): SelfDetails {
  const { publicKey } = keys.identity;
  return {
    nodeId: keys.nodeId,
    publicKey: toHex(publicKey),
    fingerprint: comparable(toHex(publicKey)),
    addresses: [...gossip.addresses()],
  };
}

/** Pending join requests, oldest first. */
export async function pendingNodes(
  ctx: Context,
  actor: Actor,
  page: PageRequest,
): Promise<{ pendingNodes: PendingNode[]; count: number } & Next> {
  requireRole(actor, administrators);
  const { document } = await ensureList(ctx);
  const { poolId } = document;
  const { rows, next } = await readPage(
    ctx,
    selectPending(ctx, poolId).selectAll(),
    {
      list: 'pool.pending-nodes',
      memberId: actor.memberId,
      filter: { poolId },
      by: [asc('received_at', (row) => row.received_at), asc('node_id', (row) => row.node_id)],
    },
    page,
  );
  const whole = page.cursor === undefined && !next.hasMore;
  const count = whole ? rows.length : await countPending(ctx, poolId);
  note(ctx, actor, 'pool.pending-nodes');
  const refused = refusalsOf(document);
  return { pendingNodes: rows.map((row) => pendingDto(row, refused.get(row.node_id))), count, ...next };
}

export interface NodePage extends Next {
  nodes: PoolNode[];
  refused?: AclTombstone[];
}

/** The nodes of the access list, ordered by id. */
export async function nodes(ctx: Context, actor: Actor, page: PageRequest): Promise<NodePage> {
  requireRole(actor, administrators);
  const { document } = await ensureList(ctx);
  const { poolId } = document;
  const { rows, next } = await readPage(
    ctx,
    ctx.db.selectFrom('pool_writers').selectAll().where('pool_id', '=', poolId).where('removed_version', 'is', null),
    {
      list: 'pool.nodes',
      memberId: actor.memberId,
      filter: { poolId },
      by: [asc('node_id', (row) => row.node_id)],
    },
    page,
  );
  note(ctx, actor, 'pool.nodes');
  const refused = page.cursor === undefined ? [...refusalsOf(document).values()] : undefined;
  return { nodes: await nodesOf(ctx, rows), ...(refused !== undefined && { refused }), ...next };
}

/** The nodes that the access list remembers as refused, in the order of their ids. */
export function refusalsOf({ tombstones = [] }: Pick<AclDocument, 'tombstones'>): Map<string, AclTombstone> {
  const sorted = tombstones.toSorted((one, other) => (one.nodeId < other.nodeId ? -1 : 1));
  return new Map(sorted.map((one) => [one.nodeId, one]));
}

export function pendingDto(row: PoolRequestRow, refusal?: AclTombstone): PendingNode {
  return {
    nodeId: row.node_id,
    publicKey: row.public_key,
    message: row.message,
    receivedAt: iso(row.received_at),
    fingerprint: comparable(row.public_key),
    requestedAt: iso(row.requested_at),
    ...(row.mail_domain !== null && { mailDomain: row.mail_domain }),
    addresses: JSON.parse(row.addresses) as string[],
    source: row.source,
    ...(refusal !== undefined && { refusal }),
  };
}

/** Nodes of the access list with further data. Many nodes need as many statements as one. */
export async function nodesOf(ctx: Context, rows: readonly PoolWriterRow[]): Promise<PoolNode[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.node_id);
  const contacts = await ctx.db.selectFrom('pool_contacts').selectAll().where('node_id', 'in', ids).execute();
  const requests = await ctx.db
    .selectFrom('pool_requests')
    .select(['node_id', 'message'])
    .where('node_id', 'in', ids)
    .execute();
  const contactOf = new Map(contacts.map((contact) => [contact.node_id, contact]));
  const messageOf = new Map(requests.map((request) => [request.node_id, request.message]));
  const peers = new Map(ctx.gossip.peers().map((peer) => [peer.nodeId, peer]));
  return rows.map((row) =>
    writerDto(ctx, row, {
      contact: contactOf.get(row.node_id),
      message: messageOf.get(row.node_id),
      peer: peers.get(row.node_id),
    }),
  );
}

interface Known {
  readonly contact: PoolContactRow | undefined;
  /** message of the node's join request */
  readonly message: string | undefined;
  readonly peer: Peer | undefined;
}

function writerDto(ctx: Context, row: PoolWriterRow, { contact, message = '', peer }: Known): PoolNode {
  const self = row.node_id === ctx.keys.nodeId;
  const expired = row.expires_at !== null && row.expires_at <= ctx.clock.now();
  const known = contact === undefined ? [] : (JSON.parse(contact.addresses) as string[]);
  return {
    nodeId: row.node_id,
    publicKey: row.public_key,
    fingerprint: comparable(row.public_key),
    status: row.removed_version !== null ? 'removed' : expired ? 'expired' : 'admitted',
    self,
    connected: self || peer !== undefined,
    addresses: self
      ? [...ctx.gossip.addresses()]
      : peer !== undefined && peer.addresses.length > 0
        ? [...peer.addresses]
        : known,
    ...(row.mail_domain !== null && { mailDomain: row.mail_domain }),
    addedAt: iso(row.added_at),
    addedBy: row.added_by,
    ...(row.expires_at !== null && { expiresAt: iso(row.expires_at) }),
    ...(contact?.last_seen_at != null && { lastSeenAt: iso(contact.last_seen_at) }),
    ...(!self && message !== '' && { message }),
  };
}

function comparable(publicKey: string): { hex: string; words: string[] } {
  const { hex, words } = fingerprintOfKey(fromHex(publicKey));
  return { hex, words: [...words] };
}

export function iso(time: number): string {
  return new Date(time).toISOString();
}
