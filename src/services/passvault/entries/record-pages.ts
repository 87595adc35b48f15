import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { asc, pageOf, type Listing, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { OpenVault } from '../vaults/access.ts';
import { findProperties, openPages, type OpenedPage } from '../vaults/pages.ts';
import type { Properties } from '../vaults/properties.ts';

/** The records of a vault to list, and the list that the cursor belongs to. */
export interface RecordList extends Pick<Listing<Found>, 'list' | 'filter'> {
  /** whether the text of a page can match at all; asked before the page is parsed */
  readonly passes?: (text: string, ascii: boolean) => boolean;
  readonly matches?: (record: Properties) => boolean;
}

interface Found {
  readonly page: number;
  readonly record: Properties;
}

/** Number of pages of the store that are opened first. If they aren't enough, more are opened at once. */
const FIRST_PAGES = 2;
const MOST_PAGES = 64;

/**
 * Property records in the order in which entries were added: all, or one page of them. Entries of the same millisecond are ordered by id.
 */
export async function listRecords(
  ctx: Context,
  actor: Actor,
  vault: OpenVault,
  { list, filter = {}, passes = () => true, matches = () => true }: RecordList,
  request: PageRequest,
): Promise<{ records: Properties[]; next: Next }> {
  if (request.limit === undefined && request.cursor === undefined)
    return { records: (await findProperties(ctx, vault, passes)).filter(matches), next: { hasMore: false } };
  const listing: Listing<Found> = {
    list,
    memberId: actor.memberId,
    filter: { ...filter, vaultId: vault.id },
    by: [asc('page', ({ page }) => page), asc('id', ({ record }) => record.id)],
  };
  const { rows, next } = await pageOf(ctx, listing, request, async ({ values }, most = Infinity) => {
    const found: Found[] = [];
    const [page = 0, id = ''] = values as [number?, string?];
    for (let from = page, some = FIRST_PAGES; found.length < most; some = Math.min(2 * some, MOST_PAGES)) {
      const opened = await openPages(ctx, vault, from, some, passes);
      const last = opened.at(-1);
      found.push(...opened.flatMap((one) => behind(one, page, id)).filter(({ record }) => matches(record)));
      if (last === undefined || opened.length < some) break;
      from = last.page + 1;
    }
    return found.slice(0, most);
  });
  return { records: rows.map(({ record }) => record), next };
}

function behind({ page, records }: OpenedPage, lastPage: number, lastId: string): Found[] {
  return records
    .filter(({ id }) => page > lastPage || id > lastId)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((record) => ({ page, record }));
}
