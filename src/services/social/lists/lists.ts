import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import type { ListKind, MemberList } from '../../../contract/social/lists.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import { fold } from '../../../platform/store/search/words.ts';
import type { SocialListRow } from '../../../platform/store/tables/social-own.ts';
import { isUniqueViolation } from '../../../platform/store/violation.ts';
import { requireSelf } from '../people/found.ts';

interface ById {
  readonly id: string;
}

interface Named {
  readonly name: string;
}

type Answer = Promise<{ list: MemberList }>;
type CountedRow = SocialListRow & { readonly members: number };

function rows({ db }: Pick<Context, 'db'>, ownerId: string, kind: ListKind) {
  return db
    .selectFrom('social_lists as l')
    .selectAll('l')
    .select((e) =>
      e
        .selectFrom('social_list_members as m')
        .select((m) => m.fn.countAll<number>().as('count'))
        .whereRef('m.list_id', '=', 'l.id')
        .as('members'),
    )
    .where('l.owner_id', '=', ownerId)
    .where('l.kind', '=', kind);
}

/** @throws Problem missing LIST_NOT_FOUND, also for a list of somebody else, or of the other kind */
export async function requireList(
  ctx: Pick<Context, 'db'>,
  { memberId }: Pick<Actor, 'memberId'>,
  kind: ListKind,
  id: string,
): Promise<CountedRow> {
  const row = await rows(ctx, memberId, kind).where('l.id', '=', id).executeTakeFirst();
  if (row !== undefined) return { ...row, members: row.members ?? 0 };
  throw new Problem(
    'missing',
    'LIST_NOT_FOUND',
    kind === 'list' ? 'You have no such list.' : 'You have no such category.',
  );
}

export function shownList(row: Omit<CountedRow, 'members'> & { readonly members: number | null }): MemberList {
  return {
    _id: row.id,
    name: row.name,
    memberCount: row.members ?? 0,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}

async function create(ctx: Context, actor: Actor, kind: ListKind, { name }: Named): Answer {
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    return await once(tx, async () => {
      const { count } = await tx.db
        .selectFrom('social_lists')
        .select((e) => e.fn.countAll<number>().as('count'))
        .where('owner_id', '=', self.id)
        .where('kind', '=', kind)
        .executeTakeFirstOrThrow();
      if (count >= socialLimits.lists)
        throw new Problem('invalid', 'TOO_MANY_LISTS', `You have ${socialLimits.lists} of them. Delete one first.`);
      const now = tx.clock.now();
      const times = { created_at: now, updated_at: now };
      const row = { id: recordId(now, tx.random), owner_id: self.id, kind, name, name_key: fold(name), ...times };
      await named(async () => await tx.db.insertInto('social_lists').values(row).execute());
      return { list: shownList({ ...row, members: 0 }) };
    });
  });
}

async function named(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'name_key')) throw error;
    throw new Problem('conflict', 'NAME_TAKEN', 'You have one with this name already. Choose another name.');
  }
}

async function list(
  ctx: Context,
  { memberId }: Actor,
  kind: ListKind,
  page: PageRequest,
): Promise<{ lists: MemberList[] } & Next> {
  const by = [asc<CountedRow>('l.name_key', (row) => row.name_key), asc<CountedRow>('l.id', (row) => row.id)];
  const query = rows(ctx, memberId, kind).$castTo<CountedRow>();
  const { rows: found, next } = await readPage(ctx, query, { list: `social.${kind}`, memberId, by }, page);
  return { lists: found.map(shownList), ...next };
}

async function show(ctx: Context, actor: Actor, kind: ListKind, { id }: ById): Answer {
  return { list: shownList(await requireList(ctx, actor, kind, id)) };
}

async function rename(ctx: Context, actor: Actor, kind: ListKind, { id, name }: ById & Named): Answer {
  return await transaction(ctx, async (tx) => {
    const row = await requireList(tx, actor, kind, id);
    const changed = { name, name_key: fold(name), updated_at: tx.clock.now() };
    await named(async () => await tx.db.updateTable('social_lists').set(changed).where('id', '=', row.id).execute());
    return { list: shownList({ ...row, ...changed }) };
  });
}

async function remove(ctx: Context, actor: Actor, kind: ListKind, { id }: ById): Promise<null> {
  return await transaction(ctx, async (tx) => {
    const row = await requireList(tx, actor, kind, id);
    await tx.db.deleteFrom('social_lists').where('id', '=', row.id).execute();
    return null;
  });
}

export async function createList(ctx: Context, actor: Actor, input: Named): Answer {
  return await create(ctx, actor, 'list', input);
}

export async function createCategory(ctx: Context, actor: Actor, input: Named): Answer {
  return await create(ctx, actor, 'category', input);
}

export async function listLists(
  ctx: Context,
  actor: Actor,
  page: PageRequest,
): Promise<{ lists: MemberList[] } & Next> {
  return await list(ctx, actor, 'list', page);
}

export async function listCategories(
  ctx: Context,
  actor: Actor,
  page: PageRequest,
): Promise<{ categories: MemberList[] } & Next> {
  const { lists: categories, ...next } = await list(ctx, actor, 'category', page);
  return { categories, ...next };
}

export async function showList(ctx: Context, actor: Actor, input: ById): Answer {
  return await show(ctx, actor, 'list', input);
}

export async function showCategory(ctx: Context, actor: Actor, input: ById): Answer {
  return await show(ctx, actor, 'category', input);
}

export async function renameList(ctx: Context, actor: Actor, input: ById & Named): Answer {
  return await rename(ctx, actor, 'list', input);
}

export async function renameCategory(ctx: Context, actor: Actor, input: ById & Named): Answer {
  return await rename(ctx, actor, 'category', input);
}

export async function deleteList(ctx: Context, actor: Actor, input: ById): Promise<null> {
  return await remove(ctx, actor, 'list', input);
}

export async function deleteCategory(ctx: Context, actor: Actor, input: ById): Promise<null> {
  return await remove(ctx, actor, 'category', input);
}
