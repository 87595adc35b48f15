import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { FileContainerRow } from '../../../platform/store/tables/filevault.ts';
import { requireContainer } from '../access/containers.ts';
import { grantedIn } from '../access/passages.ts';
import { Problem } from '../../../base/problem.ts';

/**
 * A container whose trash has something for the actor. Somebody who sees nothing else in a container any more may still restore from it.
 * @throws Problem as `requireContainer` does
 */
export async function requireTrash(ctx: Context, actor: Actor, id: string): Promise<FileContainerRow> {
  try {
    return await requireContainer(ctx, actor, id);
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'missing') throw error;
    const granted = await grantedIn(ctx, actor, id);
    const row = [...granted.values()].some((flags) => flags.has('delete'))
      ? await ctx.db.selectFrom('file_containers').selectAll().where('id', '=', id).executeTakeFirst()
      : undefined;
    if (row === undefined || row.state === 'destroyed') throw error;
    return row;
  }
}
