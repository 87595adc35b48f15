import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { giveRole, handOver, membersWith, roleIn } from '../../../shared/groups/membership.ts';
import { personRows, unknownPerson } from '../people/found.ts';
import { hubKind, requireOwner, roomOf } from './access.ts';
import { assertMayOwn } from './hubs.ts';
import { record } from './log.ts';
import { notInHub, outranked, ownerStays } from './problems.ts';
import { requireSubject } from './subjects.ts';

interface Moderating {
  readonly id: string;
  readonly userId: string;
}

export async function addModerator(
  ctx: Context,
  actor: Actor,
  { id, userId }: Moderating,
): Promise<{ moderatorIds: string[] }> {
  return await transaction(ctx, async (tx) => {
    await requireOwner(tx, actor, id);
    const { id: subjectId } = await requireSubject(tx, actor, id, userId);
    if (subjectId === actor.memberId) throw alreadyModerator();
    return await once(tx, async () => {
      const given = await giveRole(tx, roomOf(id), actor.memberId, subjectId, 'moderator');
      if (given === 'absent') throw notInHub();
      if (given === 'outranked') throw outranked();
      if (given === 'same') throw alreadyModerator();
      await record(tx, actor, { hubId: id, action: 'add_moderator', subjectId });
      return { moderatorIds: await moderatorsOf(tx, id) };
    });
  });
}

function alreadyModerator(): Problem {
  return new Problem('invalid', 'ALREADY_MODERATOR', 'The member is a moderator already.');
}

export async function removeModerator(
  ctx: Context,
  actor: Actor,
  { id, userId }: Moderating,
): Promise<{ moderatorIds: string[] }> {
  return await transaction(ctx, async (tx) => {
    await requireOwner(tx, actor, id);
    const { id: subjectId } = await requireSubject(tx, actor, id, userId);
    if (subjectId === actor.memberId) throw ownerStays();
    // Whoever is a plain member is no moderator of the hub, whom there would be to remove.
    if ((await roleIn(tx, roomOf(id), subjectId)) !== 'moderator') throw notInHub();
    await giveRole(tx, roomOf(id), actor.memberId, subjectId, 'member');
    await record(tx, actor, { hubId: id, action: 'remove_moderator', subjectId });
    return { moderatorIds: await moderatorsOf(tx, id) };
  });
}

async function moderatorsOf(tx: Context, id: string): Promise<string[]> {
  return (await membersWith(tx, hubKind, [id], ['owner', 'moderator'])).map((row) => row.member_id);
}

export async function transferHub(
  ctx: Context,
  actor: Actor,
  { id, newOwnerId }: { readonly id: string; readonly newOwnerId: string },
): Promise<{ hubId: string; newOwnerId: string }> {
  return await transaction(ctx, async (tx) => {
    await requireOwner(tx, actor, id);
    const subject = await requireSubject(tx, actor, id, newOwnerId);
    if (subject.id === actor.memberId) throw fieldProblem('newOwnerId', 'must not be yourself');
    // Nobody could do anything for a hub of somebody who left the social network, or cannot sign in.
    if (!(await personRows(tx, [subject.id])).has(subject.id)) throw unknownPerson();
    if (!subject.active) throw notInHub();
    const handed = await handOver(tx, roomOf(id), actor.memberId, subject.id, 'moderator');
    if (handed !== 'changed') throw notInHub();
    await assertMayOwn(tx, subject.id);
    await tx.db
      .updateTable('social_hubs')
      .set({ owner_id: subject.id, updated_at: tx.clock.now() })
      .where('id', '=', id)
      .execute();
    await record(tx, actor, { hubId: id, action: 'transfer', subjectId: subject.id });
    return { hubId: id, newOwnerId: subject.id };
  });
}
