import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { social } from '../../../contract/social.ts';
import type { Filter, FilterContext } from '../../../contract/social/filters.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { SocialFilterRow } from '../../../platform/store/tables/social-own.ts';
import { requireSelf } from '../people/found.ts';
import { folded } from './matching.ts';

type Answer = Promise<{ filter: Filter }>;

export async function createFilter(
  ctx: Context,
  actor: Actor,
  { phrase, wholeWord, action, contexts, expiresAt }: InputOf<typeof social.createFilter>,
): Answer {
  assertVisible(phrase);
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    return await once(tx, async () => {
      const { count } = await tx.db
        .selectFrom('social_filters')
        .select((e) => e.fn.countAll<number>().as('count'))
        .where('member_id', '=', self.id)
        .executeTakeFirstOrThrow();
      if (count >= socialLimits.filters)
        throw new Problem('invalid', 'TOO_MANY_FILTERS', `You have ${socialLimits.filters} filters. Delete one first.`);
      const now = tx.clock.now();
      const row: SocialFilterRow = {
        id: recordId(now, tx.random),
        member_id: self.id,
        phrase,
        whole_word: wholeWord ? 1 : 0,
        action,
        contexts: JSON.stringify([...new Set(contexts)]),
        expires_at: endOf(expiresAt, now),
        created_at: now,
        updated_at: now,
      };
      await tx.db.insertInto('social_filters').values(row).execute();
      return { filter: shown(row) };
    });
  });
}

/** A phrase of invisible characters would match everything. */
function assertVisible(phrase: string): void {
  if (folded(phrase) === '') throw fieldProblem('phrase', 'must have visible characters');
}

function endOf(expiresAt: string | undefined, now: number): number | null {
  if (expiresAt === undefined) return null;
  const end = Date.parse(expiresAt);
  if (end <= now) throw fieldProblem('expiresAt', 'must be in the future');
  return end;
}

export async function listFilters(
  ctx: Context,
  { memberId }: Actor,
  page: PageRequest,
): Promise<{ filters: Filter[] } & Next> {
  const query = ctx.db.selectFrom('social_filters').selectAll().where('member_id', '=', memberId);
  const by = [asc<SocialFilterRow>('id', (row) => row.id)];
  const { rows, next } = await readPage(ctx, query, { list: 'social.filters', memberId, by }, page);
  return { filters: rows.map(shown), ...next };
}

export async function showFilter(ctx: Context, actor: Actor, { id }: { readonly id: string }): Answer {
  return { filter: shown(await requireFilter(ctx, actor, id)) };
}

export async function updateFilter(
  ctx: Context,
  actor: Actor,
  { id, phrase, wholeWord, action, contexts, expiresAt }: InputOf<typeof social.updateFilter>,
): Answer {
  if (phrase !== undefined) assertVisible(phrase);
  return await transaction(ctx, async (tx) => {
    const row = await requireFilter(tx, actor, id);
    const now = tx.clock.now();
    const changed = {
      phrase: phrase ?? row.phrase,
      whole_word: (wholeWord ?? row.whole_word === 1) ? 1 : 0,
      action: action ?? row.action,
      contexts: contexts === undefined ? row.contexts : JSON.stringify([...new Set(contexts)]),
      expires_at: expiresAt === undefined ? row.expires_at : endOf(expiresAt ?? undefined, now),
      updated_at: now,
    };
    await tx.db.updateTable('social_filters').set(changed).where('id', '=', row.id).execute();
    return { filter: shown({ ...row, ...changed }) };
  });
}

export async function deleteFilter(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<null> {
  return await transaction(ctx, async (tx) => {
    const row = await requireFilter(tx, actor, id);
    await tx.db.deleteFrom('social_filters').where('id', '=', row.id).execute();
    return null;
  });
}

async function requireFilter(ctx: Context, { memberId }: Actor, id: string): Promise<SocialFilterRow> {
  const row = await ctx.db
    .selectFrom('social_filters')
    .selectAll()
    .where('id', '=', id)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  if (row === undefined) throw new Problem('missing', 'FILTER_NOT_FOUND', 'You have no such filter.');
  return row;
}

function shown(row: SocialFilterRow): Filter {
  return {
    _id: row.id,
    phrase: row.phrase,
    wholeWord: row.whole_word === 1,
    action: row.action,
    contexts: JSON.parse(row.contexts) as FilterContext[],
    ...(row.expires_at !== null && { expiresAt: new Date(row.expires_at).toISOString() }),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}
