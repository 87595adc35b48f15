import { Flags } from '@oclif/core';
import { collectPages } from '../../client/pages.ts';
import { perform, type Caller } from '../../client/perform.ts';
import type { MemberList } from '../../contract/social/lists.ts';
import { social } from '../../contract/social.ts';
import { Problem } from '../../base/problem.ts';
import { pick } from '../kit/pick.ts';
import type { Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';

export const categoryFlag = { category: Flags.boolean({ description: 'a category of members whom you follow' }) };

/** The operations of lists and categories are the same. */
export async function allLists(client: Caller, isCategory: boolean): Promise<MemberList[]> {
  if (isCategory) return (await collectPages(client, social.listCategories, {}, 'categories')).items;
  return (await collectPages(client, social.listLists, {}, 'lists')).items;
}

/**
 * The list with this name, or whose id begins with it.
 * @throws Problem conflict AMBIGUOUS, missing NOT_FOUND
 */
export async function findList(client: Caller, isCategory: boolean, named: string): Promise<MemberList> {
  const lists = await allLists(client, isCategory);
  const key = named.normalize('NFC').toLowerCase();
  const matching = lists.find(({ name }) => name.toLowerCase() === key);
  if (matching !== undefined) return matching;
  const candidates = lists.map((list) => {
    const { _id: id, name: label } = list;
    return { id, label, list };
  });
  if (!candidates.some(({ id }) => id.startsWith(key))) {
    const [what, flag] = isCategory ? ['category', ' --category'] : ['list', ''];
    const yours = `To list yours, run: conclave social lists${flag}`;
    throw new Problem('missing', 'NOT_FOUND', `You have no ${what} ${JSON.stringify(named)}. ${yours}`);
  }
  return pick(isCategory ? 'category' : 'list', named, candidates).list;
}

export function listTable(screen: Screen, lists: readonly MemberList[]): string {
  return table(screen, lists, [
    { title: 'ID', of: ({ _id }) => _id },
    { title: 'NAME', of: ({ name }) => name, main: true },
    { title: 'MEMBERS', of: ({ memberCount }) => String(memberCount), whole: true },
  ]);
}

export async function changeMembers(
  client: Caller,
  isCategory: boolean,
  change: 'add' | 'remove',
  input: { readonly id: string; readonly userIds: string[] },
): Promise<MemberList> {
  const lists = { add: social.addToList, remove: social.removeFromList } as const;
  const categories = { add: social.addToCategory, remove: social.removeFromCategory } as const;
  const { list } = isCategory
    ? await perform(client, categories[change], input)
    : await perform(client, lists[change], input);
  return list;
}
