import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import type { Context } from '../../../service/context.ts';
import type { Tables } from '../../../platform/store/tables/tables.ts';

/** Documents with a current share of somebody who is no active member any more. They should be shared anew. */
export async function countHoldersChanged(ctx: Context): Promise<number> {
  const { count } = await ctx.db
    .selectFrom('quorum_shares as s')
    .innerJoin('quorum_documents as d', (join) =>
      join.onRef('d.id', '=', 's.document_id').onRef('d.generation', '=', 's.generation'),
    )
    .innerJoin('quorum_members as m', 'm.id', 's.member_id')
    .where('m.active', '=', 0)
    .select(({ fn }) => fn.count<number>('s.document_id').distinct().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Documents with fewer active members among their holders than they need. */
export async function countOutOfReach(ctx: Context): Promise<number> {
  const { count } = await ctx.db
    .selectFrom('quorum_documents as d')
    .where(({ eb }) =>
      eb(
        eb
          .selectFrom('quorum_shares as s')
          .innerJoin('quorum_members as m', 'm.id', 's.member_id')
          .whereRef('s.document_id', '=', 'd.id')
          .whereRef('s.generation', '=', 'd.generation')
          .where('m.active', '=', 1)
          .select(({ fn }) => fn.countAll<number>().as('holders')),
        '<',
        eb.ref('d.shares_required'),
      ),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Whether a document has a current share of somebody who is no active member any more. */
export function holdersChanged(e: ExpressionBuilder<Tables, 'quorum_documents'>): Expression<SqlBool> {
  return e.exists(
    e
      .selectFrom('quorum_shares as s')
      .innerJoin('quorum_members as m', 'm.id', 's.member_id')
      .select('s.member_id')
      .whereRef('s.document_id', '=', 'quorum_documents.id')
      .whereRef('s.generation', '=', 'quorum_documents.generation')
      .where('m.active', '=', 0),
  );
}

export interface Affected {
  readonly holdersChanged: number;
  /** ids of documents with fewer active holders than they need */
  readonly outOfReach: string[];
}

/** What the removal of a member means for documents. @param memberId is removed already */
export async function affectedBy(tx: Context, memberId: string): Promise<Affected> {
  const rows = await tx.db
    .selectFrom('quorum_shares as own')
    .innerJoin('quorum_documents as d', (join) =>
      join.onRef('d.id', '=', 'own.document_id').onRef('d.generation', '=', 'own.generation'),
    )
    .innerJoin('quorum_shares as s', (join) =>
      join.onRef('s.document_id', '=', 'd.id').onRef('s.generation', '=', 'd.generation'),
    )
    .innerJoin('quorum_members as m', 'm.id', 's.member_id')
    .where('own.member_id', '=', memberId)
    .select(['d.id', 'd.shares_required', sql<number>`sum(m.active)`.as('holders')])
    .groupBy(['d.id', 'd.shares_required'])
    .orderBy('d.id')
    .execute();
  const outOfReach = rows.filter((row) => row.holders < row.shares_required).map(({ id }) => id);
  return { holdersChanged: rows.length, outOfReach };
}
