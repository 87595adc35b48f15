import type { Context } from '../../../service/context.ts';
import { theNode } from '../acl/signer.ts';
import { admit } from './decisions.ts';
import { notPending, requestOf } from './queue.ts';

/** Admissions that the quorum of this node decides on. The node signs them with its own key, as for its operator. */

/** @throws Problem missing NODE_NOT_PENDING */
export async function assertPending(ctx: Context, nodeId: string): Promise<void> {
  const request = await requestOf(ctx, nodeId);
  if (request?.status !== 'pending') throw notPending(nodeId);
}

/**
 * Admits a node that asks to join.
 *
 * @param also runs in the transaction of the admission
 * @throws Problem as `admit` does
 */
export async function admitGoverned(ctx: Context, nodeId: string, also: (tx: Context) => Promise<void>): Promise<void> {
  await admit(ctx, theNode, { nodeId, also });
}
