import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import { asc, pageOf, type Listing, type Next, type PageRequest } from '../../../store/page.ts';
import type { OpenVault } from '../vaults/access.ts';
import { findProperties, openPages, type OpenedPage } from '../vaults/pages.ts';
import type { Properties } from '../vaults/properties.ts';

/** Which records of a vault, and whose list of them. */
export interface RecordList extends Pick<Listing<Found>, 'list' | 'filter'> {
  /** whether anything in the text of a page can match, before it is taken apart */
  readonly passes?: (text: string, ascii: boolean) => boolean;
  readonly matches?: (record: Properties) => boolean;
}

interface Found {
  readonly page: number;
  readonly record: Properties;
}

/** Pages of the store that are opened before it is seen whether that was enough: of few, then of more. */
const FIRST_PAGES = 2;
const MOST_PAGES = 64;

/**
 * Property records in the order in which entries were added: all, or a page of them. Of those that were added in one millisecond,
 * the ids decide.
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
