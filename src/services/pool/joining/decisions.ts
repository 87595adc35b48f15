import { requireRole, type Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { AclDocument, AclWriter } from '../../../crypto/formats/access-list/document.ts';
import type { TokenDocument } from './token.ts';
import { formerMaker, useToken } from './token-use.ts';
import { noteContact } from './admission-policy.ts';
import { futureTime } from '../input.ts';
import { afterwards, announced, announceList, askToLook } from '../announcing.ts';
import { changeList } from '../acl/commit.ts';
import { note } from '../note.ts';
import { notPending, pendingRequestOf, requestOf } from './queue.ts';
import { administrators, theNode } from '../acl/signer.ts';
import { refuseBanned, tombstoneOf, withoutTombstone } from '../acl/tombstones.ts';
import type { PoolRequestRow } from '../../../platform/store/tables/pool.ts';

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

/** An admission by a decision, or by a token that the node has shown. */
interface Admission extends Approval {
  readonly token?: TokenDocument | undefined;
  /** runs in the transaction of the admission: what has to happen with it, or a check that can still refuse it */
  readonly also?: (tx: Context) => Promise<void>;
}

export interface Changed {
  readonly nodeId: string;
  readonly aclVersion: number;
}

/** @throws Problem missing NODE_NOT_PENDING, forbidden NODE_BANNED, NODE_REFUSED, and what `changeList` throws */
export async function admit(
  ctx: Context,
  actor: Actor | typeof theNode,
  { nodeId, expiresAt, token, also }: Admission,
): Promise<Changed> {
  const ends = expiresAt === undefined ? null : futureTime(ctx, expiresAt);
  let request: PoolRequestRow | undefined;
  const list = await changeList(ctx, actor, {
    async change(current, { memberId }) {
      const { poolId, writers } = current;
      request = await pendingRequestOf(ctx, poolId, nodeId);
      refuseBanned(current, nodeId);
      refuseFormer(current, token);
      // Where the list still names the node, its admission has ended: an administrator gave it that end.
      const known = tombstoneOf(current, nodeId) ?? writers.find((other) => other.nodeId === nodeId);
      if (actor === theNode && known !== undefined)
        throw new Problem('forbidden', 'NODE_REFUSED', `Node ${nodeId} was refused before. An administrator decides.`);
      const writer: AclWriter = {
        nodeId,
        publicKey: request.public_key,
        ...(request.mail_domain !== null && { mailDomain: request.mail_domain }),
        addedAt: new Date(ctx.clock.now()).toISOString(),
        addedBy: token?.issuedBy ?? memberId,
        expiresAt: token?.admittedUntil ?? ends,
      };
      return {
        writers: [...writers.filter((other) => other.nodeId !== nodeId), writer],
        tombstones: withoutTombstone(current, nodeId),
      };
    },
    async also(tx, approved) {
      // The request was denied, withdrawn or repeated since the administrator saw it. The decision is about the earlier one.
      const row = await requestOf(tx, nodeId);
      if (row?.document !== request?.document || row?.status !== 'approved') throw notPending(nodeId);
      await noteContact(tx, nodeId, { addresses: JSON.parse(row?.addresses ?? '[]') as string[] });
      if (token !== undefined) await useToken(tx, token, nodeId);
      await also?.(tx);
      note(tx, actor, 'pool.approve-node', nodeId, approved.document.version);
    },
  });
  await afterwards(ctx, async () => await announceList(ctx, announced.approved, list, nodeId));
  if (request !== undefined) askToLook(ctx, list.document.poolId, askedFrom(request));
  return { nodeId, aclVersion: list.document.version };
}

/** The administrator who made a token may have been removed since it was shown, or the mode of the pool been changed. */
function refuseFormer({ admins, mode }: AclDocument, token: TokenDocument | undefined): void {
  if (token === undefined) return;
  if (mode === 'closed') throw new Problem('forbidden', 'POOL_CLOSED', 'This pool does not accept join requests.');
  if (!admins.some(({ memberId }) => memberId === token.issuedBy)) throw formerMaker();
}

export function askedFrom({ node_id: nodeId, public_key: publicKey, addresses }: PoolRequestRow) {
  return { nodeId, publicKey, addresses: JSON.parse(addresses) as string[] };
}
