import type { Context } from '../../../service/context.ts';
import { fromUtf8 } from '../../../crypto/bytes.ts';
import type { Issued } from '../issue-checkpoint.ts';
import { proveConsistency, proveInclusion } from '../proofs.ts';
import type { Asked, GenesisProof } from './witness.ts';

export type Prepared = Asked;

/** What a witness needs to cosign a checkpoint of this node, if it knows the one of `oldSize` entries. */
export async function prepareCheckpoint(
  ctx: Context,
  { size, genesis, note }: Issued,
  oldSize: number,
): Promise<Prepared> {
  const proves = oldSize > 0 && oldSize < size ? await proveConsistency(ctx, oldSize, size) : undefined;
  return {
    oldSize,
    proof: proves?.proof ?? [],
    root: proves?.fromRoot,
    checkpoint: note,
    genesis: genesis === undefined ? undefined : await genesisProof(ctx, genesis, size),
  };
}

async function genesisProof(ctx: Context, index: number, size: number): Promise<GenesisProof> {
  const [{ proof }, { body }] = await Promise.all([
    proveInclusion(ctx, index, size),
    ctx.db.selectFrom('ledger_entries').select('body').where('leaf_index', '=', index).executeTakeFirstOrThrow(),
  ]);
  return { index, entry: fromUtf8(body), proof };
}
