import type { Context } from '../../../service/context.ts';
import type { QuorumDocumentRow, QuorumShareRow } from '../../../platform/store/tables/quorum.ts';

/** The current share of a member, and whether the member is active. */
export interface Holder extends QuorumShareRow {
  readonly active: number;
}

/** The current shares of a document, in the order of the ids of members. */
export async function holdersOf(
  ctx: Context,
  { id, generation }: Pick<QuorumDocumentRow, 'id' | 'generation'>,
): Promise<Holder[]> {
  return await ctx.db
    .selectFrom('quorum_shares as s')
    .innerJoin('quorum_members as m', 'm.id', 's.member_id')
    .selectAll('s')
    .select('m.active')
    .where('s.document_id', '=', id)
    .where('s.generation', '=', generation)
    .orderBy('s.member_id')
    .execute();
}
