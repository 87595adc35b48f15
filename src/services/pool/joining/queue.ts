import { transaction, type Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { PoolRequestRow } from '../../../platform/store/tables/pool.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import type { AclDocument } from '../../../crypto/formats/access-list/document.ts';
import { tombstoneOf } from '../acl/tombstones.ts';
import { readRequest, refusedRequest, strippedText, type JoinRequest, type SignedRequest } from './join-request.ts';

const MAX_PENDING = 1_000;
/** How long a request waits. */
export const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
/** How much the clocks of two nodes may differ. */
const SKEW_MS = 10 * 60 * 1_000;

/**
 * Takes a join request from the node itself, over a connection that authenticated this node.
 * @throws Problem invalid JOIN_REQUEST_REFUSED, forbidden POOL_CLOSED, NODE_BANNED, unavailable POOL_QUEUE_FULL
 */
export async function takeRequest(
  ctx: Context,
  list: SignedList,
  wire: unknown,
  fromNodeId: string,
): Promise<JoinRequest & SignedRequest> {
  if (list.document.mode === 'closed')
    throw new Problem('forbidden', 'POOL_CLOSED', 'This pool does not accept join requests.');
  const request = readRequest(wire);
  if (request.nodeId !== fromNodeId) throw refusedRequest('it came from another node');
  if (Math.abs(Date.parse(request.timestamp) - ctx.clock.now()) > SKEW_MS)
    throw refusedRequest('its time differs by more than 10 minutes from ours');
  await queueRequest(ctx, list, request, fromNodeId);
  return request;
}

/** Takes a join request that another node of the pool relays, maybe days later. */
export async function takeRelayedRequest(ctx: Context, list: SignedList, wire: unknown, source: string): Promise<void> {
  const request = readRequest(wire);
  const age = ctx.clock.now() - Date.parse(request.timestamp);
  if (age > KEPT_MS || age < -SKEW_MS) throw refusedRequest('it has expired, or its time is in the future');
  const known = await requestOf(ctx, request.nodeId);
  // Several nodes may relay the same request.
  if (known?.document === request.request) return;
  await queueRequest(ctx, list, request, source);
}

async function queueRequest(
  ctx: Context,
  list: SignedList,
  request: JoinRequest & SignedRequest,
  source: string,
): Promise<void> {
  const { poolId, nodeId } = request;
  if (poolId !== list.document.poolId) throw refusedRequest('it is for another pool');
  if (nodeId === ctx.keys.nodeId) throw refusedRequest('it is from this node');
  if (tombstoneOf(list.document, nodeId)?.kind === 'banned')
    throw new Problem(
      'forbidden',
      'NODE_BANNED',
      'This node is banned from the pool. An administrator of the pool can lift the ban.',
    );
  const requestedAt = Date.parse(request.timestamp);
  const row: PoolRequestRow = {
    node_id: nodeId,
    pool_id: poolId,
    document: request.request,
    signature: request.signature,
    public_key: request.publicKey,
    message: strippedText(request.message),
    mail_domain: request.mailDomain ?? null,
    addresses: JSON.stringify(request.addresses.map(strippedText)),
    requested_at: requestedAt,
    received_at: ctx.clock.now(),
    source,
    status: 'pending',
    decided_at: null,
    decided_by: null,
    denial: null,
  };
  await transaction(ctx, async (tx) => {
    const known = await requestOf(tx, nodeId);
    // Requests of one node arrive in the order of its clock. A request that isn't later is a replay.
    if (known?.pool_id === poolId && known.requested_at >= requestedAt) throw refusedRequest('it was received before');
    if (known?.status !== 'pending' && (await waiting(tx)) >= MAX_PENDING)
      throw new Problem('unavailable', 'POOL_QUEUE_FULL', 'Too many join requests are pending. Try again later.');
    const { node_id: _, ...rest } = row;
    await tx.db
      .insertInto('pool_requests')
      .values(row)
      .onConflict((conflict) => conflict.column('node_id').doUpdateSet(rest))
      .execute();
    tx.afterCommit(() => tx.log.info('join request received', { nodeId, poolId, source }));
  });
}

/** Withdrawn requests count as well. Otherwise a node could add rows without limit. */
async function waiting(tx: Context): Promise<number> {
  const { waiting: found } = await tx.db
    .selectFrom('pool_requests')
    .select((e) => e.fn.countAll<number>().as('waiting'))
    .where('status', 'in', ['pending', 'withdrawn'])
    .executeTakeFirstOrThrow();
  return found;
}

export async function requestOf({ db }: Pick<Context, 'db'>, nodeId: string): Promise<PoolRequestRow | undefined> {
  return await db.selectFrom('pool_requests').selectAll().where('node_id', '=', nodeId).executeTakeFirst();
}

/** The join request of a node that waits for a decision of this pool. @throws Problem missing NODE_NOT_PENDING */
export async function pendingRequestOf(ctx: Pick<Context, 'db' | 'clock'>, poolId: string, nodeId: string) {
  const row = await requestOf(ctx, nodeId);
  if (row?.status !== 'pending' || row.pool_id !== poolId || row.received_at <= ctx.clock.now() - KEPT_MS)
    throw notPending(nodeId);
  return row;
}

export function notPending(nodeId: string): Problem {
  return new Problem('missing', 'NODE_NOT_PENDING', `Node ${nodeId} has no pending join request.`);
}

export function selectPending({ db, clock }: Pick<Context, 'db' | 'clock'>, poolId: string) {
  return db
    .selectFrom('pool_requests')
    .where('status', '=', 'pending')
    .where('pool_id', '=', poolId)
    .where('received_at', '>', clock.now() - KEPT_MS);
}

export async function countPending(ctx: Pick<Context, 'db' | 'clock'>, poolId: string): Promise<number> {
  const { count } = await selectPending(ctx, poolId)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Withdraws a node's join request, over a connection that authenticated this node. */
export async function withdrawRequest(ctx: Context, poolId: string, nodeId: string): Promise<void> {
  await transaction(
    ctx,
    async (tx) =>
      await tx.db
        .updateTable('pool_requests')
        .set({ status: 'withdrawn', decided_at: tx.clock.now(), decided_by: null })
        .where('node_id', '=', nodeId)
        .where('pool_id', '=', poolId)
        .where('status', '=', 'pending')
        .execute(),
  );
}

/**
 * Deletes requests that waited too long, and decided requests that are so old that a replay would be refused for its age. Safe from several
 * processes.
 */
export async function purgeRequests(ctx: Context): Promise<number> {
  const before = ctx.clock.now() - KEPT_MS - SKEW_MS;
  const { numDeletedRows } = await transaction(
    ctx,
    async (tx) =>
      await tx.db
        .deleteFrom('pool_requests')
        .where('received_at', '<=', before)
        .where((e) => e.or([e('status', '=', 'pending'), e('decided_at', '<=', before)]))
        .executeTakeFirstOrThrow(),
  );
  return Number(numDeletedRows);
}

/**
 * Marks requests as approved if the active access list names their nodes, no matter who approved them and on which node, and as denied if it
 * bans them.
 */
export async function settleRequests(tx: Context, { writers, tombstones = [] }: AclDocument): Promise<void> {
  const now = tx.clock.now();
  const named = new Map(writers.map((writer) => [writer.nodeId, writer]));
  const banned = new Map(tombstones.filter(({ kind }) => kind === 'banned').map((one) => [one.nodeId, one]));
  const pending = await tx.db.selectFrom('pool_requests').select(['node_id']).where('status', '=', 'pending').execute();
  for (const { node_id: nodeId } of pending) {
    const writer = named.get(nodeId);
    const admitted = writer !== undefined && (writer.expiresAt === null || Date.parse(writer.expiresAt) > now);
    const by = admitted ? writer.addedBy : banned.get(nodeId)?.by;
    if (by === undefined) continue;
    await tx.db
      .updateTable('pool_requests')
      .set({ status: admitted ? 'approved' : 'denied', decided_at: now, decided_by: by })
      .where('node_id', '=', nodeId)
      .execute();
  }
}
