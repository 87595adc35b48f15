import { sql } from 'kysely';
import { requireRole, type Actor } from '../../actor.ts';
import type { Context } from '../../context.ts';
import type { PendingNode, PoolNode } from '../../contract/pool/shapes.ts';
import { fromHex, toHex } from '../../crypto/bytes.ts';
import { fingerprintOfKey } from '../../crypto/fingerprint.ts';
import type { Peer } from '../../gossip/port.ts';
import { Problem } from '../../problem.ts';
import { asc, readPage, type Next, type PageRequest } from '../../store/page.ts';
import type { PoolContactRow, PoolRequestRow, PoolWriterRow } from '../../store/tables/pool.ts';
import { administrators } from './acl/signer.ts';
import type { SignedDenial } from './joining/denial.ts';
import { ensureList } from './acl/commit.ts';
import { countPending, KEPT_MS, selectPending } from './joining/queue.ts';
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
  return { pendingNodes: rows.map(pendingDto), count, ...next };
}

export interface NodePage extends Next {
  nodes: PoolNode[];
}

/** The nodes of the access list, ordered by id. */
export async function listNodes(ctx: Context, actor: Actor, page: PageRequest): Promise<NodePage> {
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
  return { nodes: await nodesOf(ctx, rows), ...next };
}

/** How many candidates the answer to an ambiguous prefix has at most. */
const MAX_CANDIDATES = 20;

/** One node by its id or by a prefix of it. */
export async function showNode(
  ctx: Context,
  actor: Actor,
  { nodeId }: { nodeId: string },
): Promise<{ node: PoolNode }> {
  requireRole(actor, administrators);
  const { document } = await ensureList(ctx);
  // In ASCII order, `g` comes after every hex digit.
  const named = sql<boolean>`pool_id = ${document.poolId} and node_id >= ${nodeId} and node_id < ${`${nodeId}g`}`;
  const writers = await ctx.db
    .selectFrom('pool_writers')
    .selectAll()
    .where(named)
    .orderBy('node_id')
    .limit(MAX_CANDIDATES)
    .execute();
  const requests = await ctx.db
    .selectFrom('pool_requests')
    .selectAll()
    .where(named)
    .orderBy('node_id')
    .limit(MAX_CANDIDATES)
    .execute();
  const found = new Map<string, PoolNode>();
  for (const node of await nodesOf(ctx, writers)) found.set(node.nodeId, node);
  for (const row of requests) {
    const known = found.get(row.node_id);
    if (known?.status !== 'admitted' && !isOver(ctx, row))
      found.set(row.node_id, { ...known, ...requestNode(ctx, row) });
  }
  const [node, ...others] = [...found.values()];
  if (node === undefined)
    throw new Problem('missing', 'NODE_NOT_FOUND', `There is no node whose id begins with ${nodeId}.`);
  if (others.length > 0) throw ambiguous(nodeId, [node, ...others]);
  note(ctx, actor, 'pool.show-node', node.nodeId);
  return { node };
}

function ambiguous(prefix: string, nodes: readonly PoolNode[]): Problem {
  return new Problem('conflict', 'NODE_AMBIGUOUS', `${prefix} matches more than one node:`, {
    fields: nodes.map((node) => ({
      path: node.nodeId,
      message: [node.status, node.mailDomain, node.message]
        .filter((part) => part !== undefined && part !== '')
        .join(', '),
    })),
  });
}

/** Whether a request waited too long. It counts as deleted even before the purge removes it. */
function isOver({ clock }: Context, row: PoolRequestRow): boolean {
  return row.status === 'approved' || (row.status === 'pending' && row.received_at <= clock.now() - KEPT_MS);
}

function pendingDto(row: PoolRequestRow): PendingNode {
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
  };
}

function requestNode(ctx: Context, row: PoolRequestRow): PoolNode {
  const denial = row.denial === null ? undefined : (JSON.parse(row.denial) as SignedDenial).denial;
  const { source: _, requestedAt: __, ...details } = pendingDto(row);
  return {
    ...details,
    status: row.status === 'approved' ? 'admitted' : row.status,
    self: false,
    connected: ctx.gossip.peers().some((peer) => peer.nodeId === row.node_id),
    ...(row.decided_at !== null && { decidedAt: iso(row.decided_at) }),
    ...(denial !== undefined && denial.reason !== '' && { reason: denial.reason }),
  };
}

/** Nodes of the access list with further data. Many nodes need as many statements as one. */
async function nodesOf(ctx: Context, rows: readonly PoolWriterRow[]): Promise<PoolNode[]> {
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

function iso(time: number): string {
  return new Date(time).toISOString();
}
