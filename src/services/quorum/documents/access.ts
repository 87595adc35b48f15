import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { QuorumDocumentRow, QuorumShareRow } from '../../../store/tables/quorum.ts';
import { memberOf } from '../access.ts';
import { documentNotFound } from '../problems.ts';

/**
 * A document as its creator and the active members of the quorum see it.
 * @throws Problem missing DOCUMENT_NOT_FOUND, for others as if it didn't exist
 */
export async function visibleDocument(ctx: Context, actor: Actor, id: string): Promise<QuorumDocumentRow> {
  const row = await ctx.db.selectFrom('quorum_documents').selectAll().where('id', '=', id).executeTakeFirst();
  const isVisible = row?.creator_id === actor.memberId || (await memberOf(ctx, actor)) !== undefined;
  if (row === undefined || !isVisible) throw documentNotFound();
  return row;
}

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
