import { requireNoAppPassword, type Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { flagsOfLevel, type PermissionFlag, type PermissionLevel } from '../../../contract/filevault/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { gainedByMove } from '../access/gained.ts';
import { holdingOf } from '../access/holding.ts';
import { placeOf, requirePlace, type Place } from '../access/places.ts';
import { requireApproval, type Move } from '../approvals/guard.ts';
import { policyOf } from '../approvals/policy.ts';
import { flagMissing } from '../problems.ts';

type Reading = Pick<Context, 'db' | 'clock' | 'config'>;

/** Nobody shares what they don't hold. @throws Problem as `requirePlace` does */
export async function requireGrantable(
  ctx: Reading,
  actor: Actor,
  fileId: string,
  granted: readonly PermissionFlag[],
): Promise<Place> {
  const place = await requirePlace(ctx, actor, 1, fileId, { flag: 'share' });
  const missing = granted.filter((flag) => !place.rights.flags.has(flag));
  if (missing.length > 0)
    throw new Problem('forbidden', 'FORBIDDEN', `You cannot share what you do not hold: ${missing.join(', ')}.`);
  return place;
}

/** For those who may know who else was let in. Also in a locked container. @throws Problem as `requirePlace` does */
export async function requireSharing(
  ctx: Reading,
  actor: Actor,
  fileId: string,
  anyOf: readonly PermissionFlag[],
): Promise<Place> {
  const place = await requirePlace(ctx, actor, 1, fileId);
  if (!anyOf.some((flag) => place.rights.flags.has(flag))) throw flagMissing(anyOf[0] ?? 'share');
  return place;
}

/**
 * The approvals that an internal share needs. To let in somebody who could not see the file for certain is to share it outside, and to make
 * somebody an owner of it is to change its access list: otherwise a share would be the way past both, and the new owner could approve.
 *
 * @throws Problem forbidden APPROVAL_REQUIRED
 */
export async function requireShareApproved(
  tx: Context,
  actor: Actor,
  { node, container }: Place,
  { recipientId, level }: { readonly recipientId: string; readonly level: PermissionLevel },
): Promise<void> {
  const policy = await policyOf(tx, container.id);
  // Most containers ask for none, and there it makes no difference what the recipient holds.
  if (policy.external_share === 0 && policy.acl_change === 0) return;
  const recipient = { memberId: recipientId, address: '' };
  const place = await placeOf(tx, recipient, node.id);
  const held = place === undefined ? new Set<PermissionFlag>() : (await holdingOf(tx, recipient, place)).certain;
  await requireGivingApproved(tx, actor, { node, container }, [{ held, flags: new Set(flagsOfLevel[level]) }]);
}

/**
 * A move to a folder that others may read gives them what a share would, and so does a restoration to another folder than before. It needs
 * the same approvals, and an app password, which grants nothing that outlives it, does not do for it.
 *
 * @throws Problem forbidden APPROVAL_REQUIRED, INSUFFICIENT_SCOPE
 */
export async function requireMoveApproved(tx: Context, actor: Actor, from: Place, to: Place): Promise<void> {
  const policy = await policyOf(tx, from.container.id);
  if (policy.external_share === 0 && policy.acl_change === 0 && actor.appPassword === undefined) return;
  const gains = await gainedByMove(tx, actor, from, to);
  if (gains.length === 0) return;
  requireNoAppPassword(actor, 'move something to where others get rights on it');
  const move = { from: from.node.parent_id ?? from.container.root_id, to: to.node.id };
  const given = gains.map(({ held, flags }) => ({ held: held.certain, flags }));
  await requireGivingApproved(tx, actor, from, given, move);
}

interface Given {
  /** what the member holds at every time, from every address */
  readonly held: ReadonlySet<PermissionFlag>;
  readonly flags: ReadonlySet<PermissionFlag>;
}

/** What all that gives rights on a file or folder needs, once for all who get some. */
async function requireGivingApproved(
  tx: Context,
  actor: Actor,
  { node, container }: Pick<Place, 'node' | 'container'>,
  given: readonly Given[],
  move?: Move,
): Promise<void> {
  if (given.some(({ held }) => held.size === 0))
    await requireApproval(tx, actor, container, 'external_share', node.id, move);
  if (given.some(({ held, flags }) => flags.has('admin') && !held.has('admin')))
    await requireApproval(tx, actor, container, 'acl_change', node.id, move);
}

/** What clients bring for containers whose keys the node doesn't have, and nowhere else. @throws Problem invalid VALIDATION_ERROR */
export function assertBrought(
  { container }: Place,
  fields: Readonly<Record<string, unknown>>,
  needed: readonly string[],
): void {
  const isClient = container.client_encrypted === 1;
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && !(isClient && needed.includes(name)))
      throw fieldProblem(name, isClient ? 'does not belong to this mode' : 'is for client-encrypted containers alone');
    if (value === undefined && isClient && needed.includes(name))
      throw fieldProblem(name, 'is needed, because the container is encrypted by its members');
  }
}
