import type { Context } from '../../../context.ts';
import { writtenQuery } from '../../../store/written-query.ts';
import { planFiring } from './firing.ts';

const armedFor = writtenQuery<{ id: string; firing: number }>(`
  select c.id, c.firing from file_canary_files f join file_canaries c on c.id = f.canary_id
  where f.file_id = $1 and c.state = 'armed' and c.owner_id <> $2`);

/**
 * Has the canaries go off for which a file is a decoy, in the transaction that records its access.
 * @param memberId who opens it; undefined: somebody with a link
 */
export async function canaryOpened(tx: Context, fileId: string, memberId: string | undefined): Promise<void> {
  const { rows } = await tx.db.executeQuery(armedFor(fileId, memberId ?? ''));
  for (const row of rows) await planFiring(tx, row);
}
