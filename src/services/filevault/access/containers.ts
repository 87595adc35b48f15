import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { FileContainerRow } from '../../../platform/store/tables/filevault.ts';
import { containerDestroyed, containerNotFound, ownerAlone } from '../problems.ts';
import { passagesIn } from './passages.ts';

/**
 * A container that the actor owns, or may see something in. A destroyed one is known to its owner alone.
 * @throws Problem missing CONTAINER_NOT_FOUND, gone CONTAINER_DESTROYED
 */
export async function requireContainer(ctx: Context, actor: Actor, id: string): Promise<FileContainerRow> {
  const container = await ctx.db.selectFrom('file_containers').selectAll().where('id', '=', id).executeTakeFirst();
  if (container === undefined) throw containerNotFound();
  if (container.owner_id !== actor.memberId && (await passagesIn(ctx, actor, id)).size === 0) throw containerNotFound();
  if (container.state === 'destroyed') throw containerDestroyed();
  return container;
}

/** @throws Problem as `requireContainer` does; forbidden FORBIDDEN for somebody else's container */
export async function requireOwnContainer(ctx: Context, actor: Actor, id: string): Promise<FileContainerRow> {
  const container = await requireContainer(ctx, actor, id);
  if (container.owner_id !== actor.memberId) throw ownerAlone();
  return container;
}
