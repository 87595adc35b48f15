import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import type { FileContainerRow, FileNodeRow } from '../../../store/tables/filevault.ts';
import { goesAt, keepingIn } from '../keeping/policy.ts';

interface InTrash {
  readonly node: FileNodeRow;
  readonly container: FileContainerRow;
  /** the node itself first, the root folder last */
  readonly chain: readonly Pick<FileNodeRow, 'deleted_at'>[];
}

/**
 * Whether something in the trash has gone by the clock: it can't be restored any more, whenever it is removed. The earliest
 * mark counts, of itself and of the folders above.
 */
export async function hasGone(
  ctx: Pick<Context, 'db' | 'config' | 'clock'>,
  { node, chain, container }: InTrash,
): Promise<boolean> {
  const keeping = await keepingIn(ctx, container.id);
  const marks = chain.flatMap(({ deleted_at }) => {
    const at = goesAt(container, { deleted_at, quorum_governed: node.quorum_governed }, keeping);
    return at ?? [];
  });
  if (marks.length === 0 || Math.min(...marks) > ctx.clock.now()) return false;
  return node.kind === 1 || !(await holdsGoverned(ctx, node.id));
}

/** What the quorum governs stays, and so do the folders above it. */
export async function holdsGoverned({ db }: Pick<Context, 'db'>, folderId: string): Promise<boolean> {
  const { rows } = await sql`
    with recursive down (id, kind, governed) as (
      select id, kind, quorum_governed from file_nodes where id = ${folderId}
      union all
      select n.id, n.kind, n.quorum_governed from file_nodes n join down on n.parent_id = down.id
    )
    select 1 from down where governed = 1 limit 1`.execute(db);
  return rows.length > 0;
}
