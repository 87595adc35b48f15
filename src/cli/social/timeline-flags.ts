import { Flags } from '@oclif/core';
import type { Client } from '../../client/client.ts';
import { feedSorts } from '../../contract/social/feeds.ts';
import { topWindows, type TopWindow } from '../../contract/social/limits.ts';
import { Problem } from '../../base/problem.ts';
import { findList } from './lists.ts';
import { timelineOf, type Timeline, type TimelineKind, type TimelineSort } from './timelines.ts';

const sorts: readonly TimelineSort[] = [...feedSorts, 'controversial'];

/** Which posts a timeline has, and in which order. */
export const timelineFlags = {
  sort: Flags.string({ description: 'order; controversial is for hubs', options: [...sorts] }),
  window: Flags.string({ description: 'age of posts in the order top', options: Object.keys(topWindows) }),
  list: Flags.string({
    description: 'home: only the members of this list',
    helpValue: 'LIST',
    exclusive: ['category'],
  }),
  category: Flags.string({ description: 'home: only the members of this category', helpValue: 'CATEGORY' }),
};

interface Chosen {
  readonly sort?: string | undefined;
  readonly window?: string | undefined;
  readonly list?: string | undefined;
  readonly category?: string | undefined;
}

/** @throws Problem invalid USAGE for flags of another timeline; missing NOT_FOUND */
export async function chosenTimeline(
  client: Client,
  { kind, name }: { readonly kind: string; readonly name?: string | undefined },
  { sort, window, list, category }: Chosen,
): Promise<Timeline> {
  const timeline = timelineOf(kind as TimelineKind, name);
  if (sort === 'controversial' && kind !== 'hub')
    throw new Problem('invalid', 'USAGE', 'Only hubs have the order controversial.');
  const named = list ?? category;
  if (named !== undefined && kind !== 'home')
    throw new Problem('invalid', 'USAGE', 'Only the timeline home takes --list and --category.');
  const isCategory = category !== undefined;
  const { _id: id } = named === undefined ? {} : await findList(client, isCategory, named);
  return {
    ...timeline,
    sort: sort as TimelineSort | undefined,
    topWindow: window as TopWindow | undefined,
    ...(id !== undefined && { among: isCategory ? { categoryId: id } : { listId: id } }),
  };
}
