import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileCanaryRow } from '../../../platform/store/tables/file-workflow.ts';

/** Nobody but its owner knows of a canary. @throws Problem missing CANARY_NOT_FOUND */
export async function ownCanary({ db }: Pick<Context, 'db'>, actor: Actor, id: string): Promise<FileCanaryRow> {
  const row = await db
    .selectFrom('file_canaries')
    .selectAll()
    .where('id', '=', id)
    .where('owner_id', '=', actor.memberId)
    .executeTakeFirst();
  if (row === undefined) throw new Problem('missing', 'CANARY_NOT_FOUND', 'You have no such canary.');
  return row;
}
