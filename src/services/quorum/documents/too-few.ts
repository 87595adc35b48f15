import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { FieldProblem } from '../../../base/problem.ts';
import { Problem } from '../../../base/problem.ts';
import type { QuorumDocumentRow } from '../../../platform/store/tables/quorum.ts';
import { memberOf } from '../access.ts';

/** A holder who was removed from the quorum. */
interface FormerHolder {
  readonly id: string;
  readonly name: string;
}

/**
 * There are too few shares that count. Shares of removed members are kept and count for nothing, so whoever is a member of the quorum is told
 * who was removed.
 *
 * @param sentence what is needed and what was there
 * @param fieldOf where the request names a holder who was removed, if it does
 */
export async function tooFewShares(
  ctx: Context,
  actor: Pick<Actor, 'memberId'>,
  document: Pick<QuorumDocumentRow, 'id' | 'generation'>,
  sentence: string,
  fieldOf: (memberId: string) => string | undefined = () => undefined,
): Promise<Problem> {
  const isMember = (await memberOf(ctx, actor)) !== undefined;
  const former = isMember ? await formerHolders(ctx, document) : [];
  const fields = former.flatMap(({ id }): FieldProblem[] => {
    const path = fieldOf(id);
    return path === undefined ? [] : [{ path, message: 'is of a member who was removed from the quorum' }];
  });
  return new Problem('invalid', 'INSUFFICIENT_SHARES', `${sentence}${removal(former)}`, { fields });
}

/** @returns a sentence after another one, or nothing */
function removal(former: readonly FormerHolder[]): string {
  if (former.length === 0) return '';
  const names = former.map(({ id, name }) => `${name} (${id})`).join(', ');
  const [who, whose] = former.length === 1 ? ['was', 'This share counts'] : ['were', 'Their shares count'];
  return ` ${names} ${who} removed from the quorum. ${whose} again when a member with the same key is added.`;
}

async function formerHolders(
  ctx: Context,
  { id, generation }: Pick<QuorumDocumentRow, 'id' | 'generation'>,
): Promise<FormerHolder[]> {
  return await ctx.db
    .selectFrom('quorum_shares as s')
    .innerJoin('quorum_members as m', 'm.id', 's.member_id')
    .select(['m.id', 'm.name'])
    .where('s.document_id', '=', id)
    .where('s.generation', '=', generation)
    .where('m.active', '=', 0)
    .orderBy('m.name')
    .orderBy('m.id')
    .execute();
}

/**
 * Nobody is asked for shares that can't become enough.
 * @throws Problem invalid INSUFFICIENT_SHARES
 */
export async function assertInReach(
  ctx: Context,
  actor: Pick<Actor, 'memberId'>,
  document: QuorumDocumentRow,
): Promise<void> {
  const { count } = await ctx.db
    .selectFrom('quorum_shares as s')
    .innerJoin('quorum_members as m', 'm.id', 's.member_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('s.document_id', '=', document.id)
    .where('s.generation', '=', document.generation)
    .where('m.active', '=', 1)
    .executeTakeFirstOrThrow();
  const { shares_required: required } = document;
  if (count >= required) return;
  const sentence = `The document needs the shares of ${required} members of the quorum, and ${count} of its holders are members.`;
  throw await tooFewShares(ctx, actor, document, sentence);
}
