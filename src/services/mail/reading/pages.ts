import type { SelectQueryBuilder } from 'kysely';
import type { Folder } from '../../../contract/mail/limits.ts';
import type { MailItemRow } from '../../../platform/store/tables/mail.ts';
import type { Tables } from '../../../platform/store/tables/tables.ts';

/** Messages of a member that are listed. */
export type Items = SelectQueryBuilder<Tables, 'mail_items', object>;

export interface Paging {
  readonly sortBy: 'date' | 'sender' | 'subject' | 'size';
  readonly sortDirection: 'asc' | 'desc';
  /** from 1 */
  readonly page: number;
  readonly pageSize: number;
}

export interface PageOfIds {
  readonly ids: readonly string[];
  /** on all pages */
  readonly total: number;
}

const columns = {
  date: ['dated_at'],
  sender: ['from_key', 'dated_at'],
  subject: ['subject_key'],
  size: ['size'],
} satisfies Record<Paging['sortBy'], (keyof MailItemRow)[]>;

/** A page of messages of folders. An index holds the order of one folder, so that those of several are merged. */
export async function pageOf(
  folders: readonly Folder[],
  inFolders: (names: readonly Folder[]) => Items,
  paging: Paging,
): Promise<PageOfIds> {
  const counts = await inFolders(folders)
    .select(['folder', ({ fn }) => fn.countAll<number>().as('count')])
    .groupBy('folder')
    .execute();
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const { page, pageSize, sortBy, sortDirection } = paging;
  const offset = (page - 1) * pageSize;
  const full = folders.filter((name) => counts.some(({ folder }) => folder === name));
  const [first, ...others] = full.map((name) => inFolders([name]).select(['id', ...columns[sortBy]]));
  if (first === undefined || offset >= total) return { ids: [], total };
  // Each row before a page is passed, so the last pages are counted from the end.
  const limit = Math.min(pageSize, total - offset);
  const after = total - offset - limit;
  const fromEnd = after < offset;
  const direction = fromEnd === (sortDirection === 'asc') ? 'desc' : 'asc';
  const merged = others.reduce((query, other) => query.unionAll(other), first);
  const rows = await sorted(merged, sortBy, direction)
    .limit(limit)
    .offset(fromEnd ? after : offset)
    .execute();
  const ids = rows.map(({ id }) => id);
  return { ids: fromEnd ? ids.toReversed() : ids, total };
}

/** A page of a few messages that are named by their ids: all of them are read once, counted and sorted. */
export async function pageOfSome(query: Items, paging: Paging): Promise<PageOfIds> {
  const { page, pageSize, sortBy, sortDirection } = paging;
  const counted = query.select(['id', ({ fn }) => fn.countAll<number>().over().as('total')]);
  const rows = await sorted(counted, sortBy, sortDirection)
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  const [first] = rows;
  if (first !== undefined) return { ids: rows.map(({ id }) => id), total: first.total };
  return { ids: [], total: page === 1 ? 0 : await countOf(query) };
}

async function countOf(query: Items): Promise<number> {
  const { total } = await query.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return total;
}

function sorted<Row>(
  query: SelectQueryBuilder<Tables, 'mail_items', Row>,
  sortBy: Paging['sortBy'],
  direction: Paging['sortDirection'],
): SelectQueryBuilder<Tables, 'mail_items', Row> {
  return columns[sortBy].reduce((those, column) => those.orderBy(column, direction), query).orderBy('id', direction);
}
