import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { filevaultLimits } from '../../../contract/filevault/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { decidingOf, uncovered } from '../access/gained.ts';
import { holdingOf, type Holding } from '../access/holding.ts';
import { placeOf, requirePlace, type Place } from '../access/places.ts';
import { listOf, possibleGrants } from '../access/rights.ts';
import { record } from '../audit.ts';
import { nodeNotFound, rootFolder } from '../problems.ts';
import { requireMoveApproved } from '../sharing/granting.ts';
import { tooDeep } from './folders.ts';
import { asNameTaken, assertNameFree } from './nodes.ts';

interface Move {
  readonly id: string;
  readonly itemType: 'file' | 'folder';
  readonly newParentId: string;
}

export async function moveItem(
  ctx: Context,
  actor: Actor,
  { id, itemType, newParentId }: Move,
): Promise<{ moved: true }> {
  return await transaction(ctx, async (tx) => {
    const from = await requirePlace(tx, actor, itemType === 'file' ? 1 : 0, id, { flag: 'delete' });
    const to = await requirePlace(tx, actor, 0, newParentId, { flag: 'write' });
    if (from.node.parent_id === null) throw rootFolder();
    if (to.container.id !== from.container.id)
      throw fieldProblem('newParentId', 'is in another container. Copy it there, and remove it here');
    if (to.chain.some((step) => step.id === id)) throw circular();
    if (to.chain.length + (await heightOf(tx, id)) > filevaultLimits.depth) throw tooDeep();
    await assertNameFree(tx, newParentId, from.node.name, id);
    await requireMoveApproved(tx, actor, from, to);
    const held = await holdingOf(tx, actor, from);
    await tx.db
      .updateTable('file_nodes')
      .set({ parent_id: newParentId, updated_at: tx.clock.now(), updated_by: actor.memberId })
      .where('id', '=', id)
      .execute();
    await assertNothingGained(tx, actor, from, held);
    await record(tx, actor, {
      action: itemType === 'file' ? 'FILE_MOVED' : 'FOLDER_MOVED',
      containerId: from.container.id,
      nodeId: id,
      metadata: { from: from.node.parent_id, to: newParentId },
    });
    return { moved: true } as const;
  }).catch(asNameTaken);
}

/**
 * Below another folder other lists decide. Whoever may move something must not get more by it than they had, now or under conditions that
 * hold later or elsewhere. Call it after the move, in its transaction.
 *
 * @param before the file or folder where it was. @param held what the actor held on it there
 * @throws Problem forbidden FORBIDDEN
 */
export async function assertNothingGained(tx: Context, actor: Actor, before: Place, held: Holding): Promise<void> {
  if (before.rights.owner) return;
  const place = await placeOf(tx, actor, before.node.id);
  if (place === undefined) throw nodeNotFound(0);
  const gained = new Set([...place.rights.flags].filter((flag) => !before.rights.flags.has(flag)));
  const [was, is] = [before, place].map(({ chain }) => chain.map(({ id }) => id)) as [string[], string[]];
  if (decidingOf(was, before.grants) !== decidingOf(is, place.grants))
    for (const flag of uncovered(held, possibleGrants(is, place.grants))) gained.add(flag);
  if (gained.size === 0) return;
  const words = `In that folder you would have permissions that you do not have now: ${listOf(gained).join(', ')}.`;
  throw new Problem('forbidden', 'FORBIDDEN', words);
}

/** How many folders stand below each other in a folder, with itself; 0 for a file. What is in the trash counts, because it may return. */
async function heightOf({ db }: Context, id: string): Promise<number> {
  const { rows } = await sql<{ height: number }>`
    with recursive down (id, depth) as (
      select id, 1 from file_nodes where id = ${id} and kind = 0
      union all
      select n.id, down.depth + 1 from file_nodes n join down on n.parent_id = down.id where n.kind = 0
    )
    select coalesce(max(depth), 0) as height from down`.execute(db);
  return rows[0]?.height ?? 0;
}

function circular(): Problem {
  return new Problem(
    'conflict',
    'CIRCULAR_MOVE',
    'A folder cannot be moved into itself or into a folder inside it. Choose another folder.',
  );
}
