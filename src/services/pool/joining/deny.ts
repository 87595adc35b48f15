import { requireRole, type Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { appendEntry } from '../../../platform/ledger/append.ts';
import type { PoolRequestRow } from '../../../platform/store/tables/pool.ts';
import { changeList, ensureList } from '../acl/commit.ts';
import type { AclTombstone } from '../../../crypto/formats/access-list/document.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import { proposalOf } from '../acl/propose.ts';
import { administrators, assertStillSigning, signerFor, type Signer } from '../acl/signer.ts';
import { logDropped, withTombstone } from '../acl/tombstones.ts';
import { afterwards, announced, announceDenial, announceList, askToLook } from '../announcing.ts';
import { note } from '../note.ts';
import { askedFrom } from './decisions.ts';
import { signDenial, type SignedDenial } from './denial.ts';
import { strippedText } from './join-request.ts';
import { notPending, pendingRequestOf, requestOf } from './queue.ts';

export interface Refusal {
  readonly nodeId: string;
  readonly reason?: string | undefined;
  /** whether the node may not even ask again */
  readonly ban?: boolean | undefined;
}

export interface Denied {
  nodeId: string;
  aclVersion?: number;
  /** hash of the proposed list that remembers the denial */
  proposal?: string;
}

/** A denial that is signed and not yet stored. */
interface Prepared {
  readonly request: PoolRequestRow;
  readonly signed: SignedDenial;
}

/**
 * Refuses a node that asks to join. The refusal is signed, for the node to read, and the access list remembers it.
 */
export async function denyNode(ctx: Context, actor: Actor, refusal: Refusal): Promise<Denied> {
  requireRole(actor, administrators);
  const { nodeId, ban = false } = refusal;
  const { document } = await ensureList(ctx);
  if (document.threshold > 1) return await denyAndPropose(ctx, actor, refusal);
  let prepared: Prepared | undefined;
  let dropped: readonly AclTombstone[] = [];
  const list = await changeList(ctx, actor, {
    async change(current, signer) {
      prepared = await prepare(ctx, current.poolId, signer, refusal);
      const { deniedAt: at, deniedBy: by } = prepared.signed.denial;
      const next = withTombstone(current, { nodeId, kind: ban ? 'banned' : 'denied', at, by });
      ({ dropped } = next);
      return { tombstones: next.tombstones };
    },
    async also(tx) {
      if (prepared === undefined) throw notPending(nodeId);
      await store(tx, prepared);
      note(tx, actor, ban ? 'pool.ban-node' : 'pool.deny-node', nodeId);
      tx.afterCommit(() => logDropped(tx, dropped));
    },
  });
  if (prepared !== undefined) await tell(ctx, prepared, list);
  return { nodeId, aclVersion: list.document.version };
}

/** A denial admits nobody, so one administrator's word is enough. That the list remembers it needs the signatures of others. */
async function denyAndPropose(ctx: Context, actor: Actor, refusal: Refusal): Promise<Denied> {
  const { nodeId, ban = false } = refusal;
  const { document } = await ensureList(ctx);
  const prepared = await prepare(ctx, document.poolId, await signerFor(ctx, actor, document), refusal);
  await transaction(ctx, async (tx) => {
    await assertStillSigning(tx, actor);
    await store(tx, prepared);
    note(tx, actor, ban ? 'pool.ban-node' : 'pool.deny-node', nodeId);
  });
  await tell(ctx, prepared);
  const { deniedAt: at, deniedBy: by } = prepared.signed.denial;
  try {
    const list = await changeList(ctx, actor, {
      change: (current) => ({
        tombstones: withTombstone(current, { nodeId, kind: ban ? 'banned' : 'denied', at, by }).tombstones,
      }),
    });
    return { nodeId, aclVersion: list.document.version };
  } catch (error) {
    const proposal = proposalOf(error);
    if (proposal === undefined) throw error;
    return { nodeId, proposal };
  }
}

async function prepare(ctx: Context, poolId: string, signer: Signer, refusal: Refusal): Promise<Prepared> {
  const { nodeId, reason = '' } = refusal;
  const request = await pendingRequestOf(ctx, poolId, nodeId);
  const denial = {
    poolId,
    nodeId,
    requestedAt: new Date(request.requested_at).toISOString(),
    reason: strippedText(reason),
    deniedAt: new Date(ctx.clock.now()).toISOString(),
    deniedBy: signer.memberId,
  };
  return { request, signed: signDenial(denial, signer) };
}

/** The request may have been decided, withdrawn or repeated since the administrator saw it. @throws Problem missing NODE_NOT_PENDING */
async function store(tx: Context, { request, signed }: Prepared): Promise<void> {
  const { poolId, nodeId, deniedBy } = signed.denial;
  const now = await requestOf(tx, nodeId);
  // A list that bans the node has closed its request already, in this transaction and without a denial.
  const isOpen = now?.status === 'pending' || (now?.status === 'denied' && now.denial === null);
  if (!isOpen || now.document !== request.document) throw notPending(nodeId);
  await tx.db
    .updateTable('pool_requests')
    .set({ status: 'denied', decided_at: tx.clock.now(), decided_by: deniedBy, denial: JSON.stringify(signed) })
    .where('node_id', '=', nodeId)
    .execute();
  await appendEntry(tx, { type: 'POOL_DENIAL', data: { poolId }, tags: { node: nodeId } });
}

async function tell(ctx: Context, { request, signed }: Prepared, list?: SignedList): Promise<void> {
  await afterwards(ctx, async () => {
    await announceDenial(ctx, signed);
    if (list !== undefined) await announceList(ctx, announced.changed, list);
  });
  askToLook(ctx, signed.denial.poolId, askedFrom(request));
}
