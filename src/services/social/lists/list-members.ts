import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { socialLimits } from '../../../contract/social/limits.ts';
import type { ListKind, MemberList } from '../../../contract/social/lists.ts';
import type { Person } from '../../../contract/social/person.ts';
import { membersNamed } from '../../../shared/members/named.ts';
import { Problem } from '../../../base/problem.ts';
import type { Next, PageRequest } from '../../../platform/store/page.ts';
import { insertRows } from '../../../platform/store/written-query.ts';
import { requirePeople } from '../people/found.ts';
import { peoplePage } from '../people/lists.ts';
import { requireList, shownList } from './lists.ts';

interface ById {
  readonly id: string;
}

interface Several extends ById {
  readonly userIds: readonly string[];
}

type Answer = Promise<{ list: MemberList }>;
type Listed = Promise<{ people: Person[] } & Next>;

async function add(ctx: Context, actor: Actor, kind: ListKind, { id, userIds }: Several): Answer {
  return await transaction(ctx, async (tx) => {
    const list = await requireList(tx, actor, kind, id);
    const people = await requirePeople(tx, actor, userIds);
    const ids = [...new Set(people.map((person) => person.id))];
    if (kind === 'category') await assertFollowed(tx, actor, ids);
    const there = await inList(tx, list.id, ids);
    const fresh = ids.filter((one) => !there.has(one));
    if (list.members + fresh.length > socialLimits.listMembers)
      throw new Problem('invalid', 'LIST_FULL', `A list has at most ${socialLimits.listMembers} members.`);
    const now = tx.clock.now();
    const rows = fresh.map((memberId) => ({ list_id: list.id, member_id: memberId, created_at: now }));
    await insertRows(tx.db, 'social_list_members', rows);
    if (rows.length > 0)
      await tx.db.updateTable('social_lists').set({ updated_at: now }).where('id', '=', list.id).execute();
    return { list: shownList(await requireList(tx, actor, kind, id)) };
  });
}

async function assertFollowed(tx: Context, { memberId }: Actor, ids: readonly string[]): Promise<void> {
  const { count } = await tx.db
    .selectFrom('social_follows')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('follower_id', '=', memberId)
    .where('followee_id', 'in', ids)
    .where('requested', '=', 0)
    .executeTakeFirstOrThrow();
  if (count === ids.length) return;
  throw new Problem('invalid', 'NOT_FOLLOWING', 'A category is for members whom you follow. Follow them first.');
}

async function inList(tx: Context, listId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.db
    .selectFrom('social_list_members')
    .select('member_id')
    .where('list_id', '=', listId)
    .where('member_id', 'in', ids)
    .execute();
  return new Set(rows.map((row) => row.member_id));
}

async function take(ctx: Context, actor: Actor, kind: ListKind, { id, userIds }: Several): Answer {
  return await transaction(ctx, async (tx) => {
    const list = await requireList(tx, actor, kind, id);
    // Who blocked the owner since, or was suspended, can be taken out too: the owner put them in.
    const found = await membersNamed(tx, userIds);
    const ids = found.map((member) => member?.id ?? '');
    const there = await inList(tx, list.id, ids);
    const at = ids.findIndex((one) => !there.has(one));
    if (at !== -1)
      throw new Problem('invalid', 'NOT_IN_LIST', `${JSON.stringify(userIds[at])} is not in it. Nobody was removed.`);
    await tx.db
      .deleteFrom('social_list_members')
      .where('list_id', '=', list.id)
      .where('member_id', 'in', ids)
      .execute();
    await tx.db.updateTable('social_lists').set({ updated_at: tx.clock.now() }).where('id', '=', list.id).execute();
    return { list: shownList(await requireList(tx, actor, kind, id)) };
  });
}

async function listed(ctx: Context, actor: Actor, kind: ListKind, { id, ...page }: ById & PageRequest): Listed {
  const { id: listId } = await requireList(ctx, actor, kind, id);
  const query = ctx.db.selectFrom('social_list_members').select('member_id as id').where('list_id', '=', listId);
  return await peoplePage(ctx, actor, query, { list: 'social.listed', of: listId, column: 'member_id' }, page);
}

/** Takes one member off the lists, or the categories, or both, of another one. */
export async function takeOffLists(tx: Context, ownerId: string, memberId: string, kind?: ListKind): Promise<void> {
  await tx.db
    .deleteFrom('social_list_members')
    .where('member_id', '=', memberId)
    .where('list_id', 'in', (e) => {
      const own = e.selectFrom('social_lists').select('id').where('owner_id', '=', ownerId);
      return kind === undefined ? own : own.where('kind', '=', kind);
    })
    .execute();
}

export async function addToList(ctx: Context, actor: Actor, input: Several): Answer {
  return await add(ctx, actor, 'list', input);
}

export async function addToCategory(ctx: Context, actor: Actor, input: Several): Answer {
  return await add(ctx, actor, 'category', input);
}

export async function removeFromList(ctx: Context, actor: Actor, input: Several): Answer {
  return await take(ctx, actor, 'list', input);
}

export async function removeFromCategory(ctx: Context, actor: Actor, input: Several): Answer {
  return await take(ctx, actor, 'category', input);
}

export async function listListMembers(ctx: Context, actor: Actor, input: ById & PageRequest): Listed {
  return await listed(ctx, actor, 'list', input);
}

export async function listCategoryMembers(ctx: Context, actor: Actor, input: ById & PageRequest): Listed {
  return await listed(ctx, actor, 'category', input);
}
