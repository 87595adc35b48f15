import type { JsonOperation, RawInputOf, ReplyOf } from '../contract/operation.ts';
import { Problem } from '../base/problem.ts';
import { perform, type Caller } from './perform.ts';

/** The part of an input that requests a page of a list. */
export interface PageInput {
  readonly limit: number;
  readonly cursor?: string;
}

interface Paged {
  /** missing or null on the last page */
  readonly cursor?: string | null | undefined;
  readonly hasMore: boolean;
}

/** The properties of a reply that hold lists. */
export type ListIn<Reply> = { [K in keyof Reply]-?: Reply[K] extends readonly unknown[] ? K : never }[keyof Reply];
export type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;

interface Collecting<Reply> {
  /** the number of items that is enough; all items if undefined */
  readonly most?: number;
  /** continues behind an earlier page: the cursor that it had */
  readonly from?: string | undefined;
  /** items in a page; every list accepts 100 */
  readonly perPage?: number;
  /** receives each reply, for its other properties */
  readonly each?: (reply: Reply) => void;
}

export interface Collected<Item> {
  readonly items: Item[];
  readonly hasMore: boolean;
  /** continues behind these items; missing on the last page */
  readonly cursor?: string;
}

/**
 * Reads the items of a list, page by page, until there are enough.
 *
 * @param input the filters of the list
 * @param name the property of the reply that holds the list
 * @returns the items, whether there are more, and where they continue
 * @throws Problem as `perform` does, and network BAD_REPLY if a page leads back to itself
 */
export async function collectPages<O extends JsonOperation, Name extends ListIn<ReplyOf<O>>>(
  caller: Caller,
  operation: O,
  input: Omit<RawInputOf<O>, 'limit' | 'cursor'>,
  name: Name,
  options: Collecting<ReplyOf<O>> = {},
): Promise<Collected<ItemOf<ReplyOf<O>[Name]>>> {
  const read = async (page: PageInput) =>
    (await perform(caller, operation, { ...input, ...page })) as ReplyOf<O> & Paged;
  return await collectFrom(read, (reply) => reply[name] as ItemOf<ReplyOf<O>[Name]>[], options);
}

/** As `collectPages`, for any function that reads a page. */
export async function collectFrom<Reply extends Paged, Item>(
  read: (page: PageInput) => Promise<Reply>,
  itemsOf: (reply: Reply) => readonly Item[],
  { most = Number.POSITIVE_INFINITY, perPage = 100, from, each }: Collecting<Reply> = {},
): Promise<Collected<Item>> {
  const items: Item[] = [];
  for (let cursor = from; ;) {
    const limit = Math.min(perPage, most - items.length);
    const reply = await read(cursor === undefined ? { limit } : { limit, cursor });
    for (const item of itemsOf(reply)) items.push(item);
    each?.(reply);
    const next = reply.cursor ?? undefined;
    if (!reply.hasMore || next === undefined) return { items, hasMore: false };
    if (items.length >= most) return { items, hasMore: true, cursor: next };
    if (next === cursor) throw new Problem('network', 'BAD_REPLY', 'The server sent the same page again.');
    cursor = next;
  }
}
