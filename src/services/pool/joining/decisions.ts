import { requireRole, type Actor } from '../../../actor.ts';
import { transaction, type Context } from '../../../context.ts';
import { appendEntry } from '../../../ledger/append.ts';
import type { AclWriter } from '../acl/document.ts';
import { noteContact } from './admission-policy.ts';
import { futureTime } from '../input.ts';
import { announced, announceDenial, announceList, askToLook } from '../announcing.ts';
import { signDenial } from './denial.ts';
import { changeList, ensureList } from '../acl/commit.ts';
import { strippedText } from './join-request.ts';
import { note } from '../note.ts';
import { notPending, pendingRequestOf, requestOf } from './queue.ts';
import { administrators, assertStillAdministrator, signerFor, type theNode } from '../acl/signer.ts';
import type { PoolRequestRow } from '../../../store/tables/pool.ts';

export interface Approval {
  readonly nodeId: string;
  /** ISO 8601 */
  readonly expiresAt?: string | undefined;
}

/** Admits a node that asks to join. */
export async function approveNode(ctx: Context, actor: Actor, input: Approval): Promise<Changed> {
  requireRole(actor, administrators);
  return await admit(ctx, actor, input);
}

export interface Changed {
  readonly nodeId: string;
  readonly aclVersion: number;
}

/** @throws Problem missing NODE_NOT_PENDING, and what `changeList` throws */
export async function admit(
  ctx: Context,
  actor: Actor | typeof theNode,
  { nodeId, expiresAt }: Approval,
): Promise<Changed> {
  const ends = expiresAt === undefined ? null : futureTime(ctx, expiresAt);
  let request: PoolRequestRow | undefined;
  const list = await changeList(ctx, actor, {
    async change({ poolId, writers }, { memberId }) {
      request = await pendingRequestOf(ctx, poolId, nodeId);
      const writer: AclWriter = {
        nodeId,
        publicKey: request.public_key,
        ...(request.mail_domain !== null && { mailDomain: request.mail_domain }),
        addedAt: new Date(ctx.clock.now()).toISOString(),
        addedBy: memberId,
        expiresAt: ends,
      };
      return { writers: [...writers.filter((other) => other.nodeId !== nodeId), writer] };
    },
    async also(tx, approved) {
      // The request was denied, withdrawn or repeated since the administrator saw it. The decision is about the earlier one.
      const row = await requestOf(tx, nodeId);
      if (row?.document !== request?.document || row?.status !== 'approved') throw notPending(nodeId);
      await noteContact(tx, nodeId, { addresses: JSON.parse(row?.addresses ?? '[]') as string[] });
      note(tx, actor, 'pool.approve-node', nodeId, approved.document.version);
    },
  });
  await afterwards(ctx, async () => await announceList(ctx, announced.approved, list, nodeId));
  if (request !== undefined) askToLook(ctx, list.document.poolId, askedFrom(request));
  return { nodeId, aclVersion: list.document.version };
}

/** Refuses a node that asks to join. The refusal is signed in the same way as an approval. */
export async function denyNode(
  ctx: Context,
  actor: Actor,
  { nodeId, reason = '' }: { nodeId: string; reason?: string | undefined },
): Promise<{ nodeId: string }> {
  requireRole(actor, administrators);
  const list = await ensureList(ctx);
  const { poolId } = list.document;
  const request = await pendingRequestOf(ctx, poolId, nodeId);
  const signer = await signerFor(ctx, actor, list.document);
  const signed = signDenial(
    {
      poolId,
      nodeId,
      requestedAt: new Date(request.requested_at).toISOString(),
      reason: strippedText(reason),
      deniedAt: new Date(ctx.clock.now()).toISOString(),
      deniedBy: signer.memberId,
    },
    signer,
  );
  await transaction(ctx, async (tx) => {
    await assertStillAdministrator(tx, actor);
    const now = await pendingRequestOf(tx, poolId, nodeId);
    if (now.document !== request.document) throw notPending(nodeId);
    await tx.db
      .updateTable('pool_requests')
      .set({
        status: 'denied',
        decided_at: tx.clock.now(),
        decided_by: signer.memberId,
        denial: JSON.stringify(signed),
      })
      .where('node_id', '=', nodeId)
      .execute();
    await appendEntry(tx, { type: 'POOL_DENIAL', data: { poolId }, tags: { node: nodeId } });
    note(tx, actor, 'pool.deny-node', nodeId);
  });
  await afterwards(ctx, async () => await announceDenial(ctx, signed));
  askToLook(ctx, poolId, askedFrom(request));
  return { nodeId };
}

/** Telling other nodes is best effort: the decision is already made, so a network failure must not look like a failed decision. */
export async function afterwards(ctx: Context, tell: () => Promise<void>): Promise<void> {
  try {
    await tell();
  } catch (error) {
    ctx.log.error('announcing a decision failed; nodes get it when they connect', { error });
  }
}

function askedFrom({ node_id: nodeId, public_key: publicKey, addresses }: PoolRequestRow) {
  return { nodeId, publicKey, addresses: JSON.parse(addresses) as string[] };
}
