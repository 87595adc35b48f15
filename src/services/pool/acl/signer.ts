import { openMemberKey } from '../../../members/session-key.ts';
import { assertStillAllowed } from '../../../members/still-signed-in.ts';
import { operatorId, type Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import { Problem } from '../../../problem.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { memberIdOf } from '../../../crypto/public-key.ts';
import type { AclAdmin, AclDocument } from './document.ts';

/** An administrator of the pool who is there, with the key. Lives as long as the request. */
export interface Signer {
  readonly memberId: string;
  readonly privateKey: Uint8Array;
}

/** The node itself: on the operator's word, or for a pool whose mode leaves nothing to decide. */
export const theNode = 'node';

/** The node's own key, as an administrator: what the operator signs with. */
export function nodeAsAdmin({ keys }: Pick<Context, 'keys'>): AclAdmin {
  const { publicKey } = keys.identity;
  return { memberId: memberIdOf(publicKey), publicKey: toHex(publicKey) };
}

/** Who decides about the pool on this node, as far as their role goes. */
export const administrators = { any: ['Admin', 'System'] } as const;

/**
 * The role is checked again in the transaction, because it may have changed since the request arrived. The node itself cannot lose a
 * role.
 */
export async function assertStillAdministrator(tx: Context, actor: Actor | typeof theNode): Promise<void> {
  if (actor !== theNode) await assertStillAllowed(tx, actor, administrators);
}

/**
 * Who signs for an actor: an administrator with the member's own key, the operator with the node's.
 * @throws Problem forbidden KEY_LOCKED, POOL_NOT_ADMINISTRATOR
 */
export async function signerFor(
  ctx: Context,
  actor: Actor | typeof theNode,
  { admins }: Pick<AclDocument, 'admins'>,
): Promise<Signer> {
  const byNode = actor === theNode || actor.memberId === operatorId;
  const memberId = byNode ? nodeAsAdmin(ctx).memberId : actor.memberId;
  if (!admins.some((admin) => admin.memberId === memberId)) throw notAdministrator(byNode);
  return { memberId, privateKey: byNode ? ctx.keys.identity.privateKey : await openMemberKey(ctx, actor) };
}

function notAdministrator(byNode: boolean): Problem {
  return new Problem(
    'forbidden',
    'POOL_NOT_ADMINISTRATOR',
    byNode
      ? 'The key of this node is not an administrator of the pool. Sign in as an administrator, or use a node whose key is one.'
      : 'You are not among the administrators of the pool. One of them can add you to its access list.',
  );
}
