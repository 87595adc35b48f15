import { openMemberKey } from '../../../shared/members/session-key.ts';
import { assertStillAllowed } from '../../../shared/members/still-signed-in.ts';
import { operatorId, type Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { assertSigning } from '../../../platform/ledger/witness/stop.ts';
import { Problem } from '../../../base/problem.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { memberIdOf } from '../../../crypto/public-key.ts';
import type { AclAdmin, AclDocument } from '../../../crypto/formats/access-list/document.ts';
import { refusePassedOver } from './list-mark.ts';
import { rulesInForce } from './open-decisions.ts';

/** An administrator of the pool who takes part in the request, with the private key. Lives as long as the request. */
export interface Signer {
  readonly memberId: string;
  readonly privateKey: Uint8Array;
}

/** The node itself signs: for the operator, or for a pool whose mode needs no decision. */
export const theNode = 'node';

/** The node's own key as an administrator. The operator signs with it. */
export function nodeAsAdmin({ keys }: Pick<Context, 'keys'>): AclAdmin {
  const { publicKey } = keys.identity;
  return { memberId: memberIdOf(publicKey), publicKey: toHex(publicKey) };
}

/** The roles that may decide about the pool on this node. */
export const administrators = { any: ['Admin', 'System'] } as const;

/**
 * The role is checked again in the transaction, because it may have changed since the request arrived. The node itself cannot lose a
 * role.
 */
export async function assertStillAdministrator(tx: Context, actor: Actor | typeof theNode): Promise<void> {
  if (actor !== theNode) await assertStillAllowed(tx, actor, administrators);
}

/**
 * The check in the transaction that stores what was signed.
 * @throws Problem conflict NODE_STOPPED, and what `assertStillAdministrator` throws
 */
export async function assertStillSigning(tx: Context, actor: Actor | typeof theNode): Promise<void> {
  await assertSigning(tx);
  await assertStillAdministrator(tx, actor);
}

/**
 * The signer for an actor: an administrator signs with the member's own key, the operator with the node's key.
 * @throws Problem forbidden KEY_LOCKED, POOL_NOT_ADMINISTRATOR; conflict NODE_STOPPED; internal STORE_DAMAGED
 */
export async function signerFor(ctx: Context, actor: Actor | typeof theNode, document: AclDocument): Promise<Signer> {
  // A copy of a node that signs lists would contradict the node, and a list after one that was passed over is a fork.
  await assertSigning(ctx);
  await refusePassedOver(ctx);
  const byNode = actor === theNode || actor.memberId === operatorId;
  const memberId = byNode ? nodeAsAdmin(ctx).memberId : actor.memberId;
  // Others would not follow what an administrator signs whom another branch removed, even if nobody could sign that yet.
  const { admins } = await rulesInForce(ctx.db, document);
  if (!admins.some((admin) => admin.memberId === memberId)) throw notAdministrator(byNode);
  return { memberId, privateKey: byNode ? ctx.keys.identity.privateKey : await openMemberKey(ctx, actor) };
}

function notAdministrator(byNode: boolean): Problem {
  return new Problem(
    'forbidden',
    'POOL_NOT_ADMINISTRATOR',
    byNode
      ? 'The key of this node is not an administrator of the pool, and commands on its own machine sign with that key. To sign with your own key, name the server: --server URL.'
      : 'You are not among the administrators of the pool. One of them can add you to its access list.',
  );
}
