import { sql } from 'kysely';
import type { Context } from '../../../service/context.ts';
import type { FileContainerRow, FileNodeRow } from '../../../platform/store/tables/filevault.ts';
import { goesAt, keepingIn, type Keeping } from '../keeping/policy.ts';

interface InTrash {
  readonly node: FileNodeRow;
  readonly container: FileContainerRow;
  /** the node itself first, the root folder last */
  readonly chain: readonly Pick<FileNodeRow, 'deleted_at'>[];
}

type Reading = Pick<Context, 'db' | 'config' | 'clock'>;

/** When something in the trash goes: by the earliest mark, of itself or of a folder above. @returns undefined: by hand alone */
export function earliestMark({ node, chain, container }: InTrash, keeping: Keeping): number | undefined {
  const marks = chain.flatMap(
    ({ deleted_at }) => goesAt(container, { deleted_at, quorum_governed: node.quorum_governed }, keeping) ?? [],
  );
  return marks.length === 0 ? undefined : Math.min(...marks);
}

/** Whether something in the trash has gone by the clock: it can't be restored any more, whenever it is removed. */
export async function hasGone(ctx: Reading, place: InTrash): Promise<boolean> {
  const at = earliestMark(place, await keepingIn(ctx, place.container.id));
  if (at === undefined || at > ctx.clock.now()) return false;
  return place.node.kind === 1 || !(await holdsGoverned(ctx, place.node.id));
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
