import type { Context } from '../../../service/context.ts';
import { isActive } from '../../../shared/members/summaries.ts';
import type { FileCanaryRow } from '../../../platform/store/tables/file-workflow.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { placeOf } from '../access/places.ts';
import { planFiring } from './firing.ts';

const armedFor = writtenQuery<Pick<FileCanaryRow, 'id' | 'firing' | 'owner_id' | 'address'>>(`
  select c.id, c.firing, c.owner_id, c.address from file_canary_files f join file_canaries c on c.id = f.canary_id
  where f.file_id = $1 and c.state = 'armed' and c.owner_id <> $2`);

/**
 * Has the canaries go off for which a file is a decoy, in the transaction that records its access. One whose owner may not read the file
 * any more tells nothing of it.
 * @param memberId who opens it; undefined: somebody with a link
 */
export async function canaryOpened(tx: Context, fileId: string, memberId: string | undefined): Promise<void> {
  const { rows } = await tx.db.executeQuery(armedFor(fileId, memberId ?? ''));
  for (const row of rows) if (await stillReads(tx, row, fileId)) await planFiring(tx, row);
}

async function stillReads(
  tx: Context,
  { owner_id: memberId, address }: Pick<FileCanaryRow, 'owner_id' | 'address'>,
  fileId: string,
): Promise<boolean> {
  if (!(await isActive(tx, memberId))) return false;
  return (await placeOf(tx, { memberId, address }, fileId))?.rights.flags.has('read') === true;
}
