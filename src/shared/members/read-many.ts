import type { Context } from '../../service/context.ts';
import type { Next, Page } from '../../platform/store/page.ts';
import { hiddenFrom, type HiddenBy } from './blocks.ts';
import { memberSummaries, type MemberSummary } from './summaries.ts';

/** How a list becomes a reply. Each step handles all items at once. */
export interface ReadMany<Found, Row, Item> {
  /** the member who looks at the list */
  readonly viewer: string;
  /** 1. the page of keys; it must be cheap to read */
  readonly page: Page<Found>;
  /** 2. the rows for all keys, in the same order and with a fixed number of statements; rows deleted meanwhile are missing */
  readonly rows: (found: readonly Found[]) => Promise<readonly Row[]>;
  /** the members that a row names; they are looked up together */
  readonly members: (row: Row) => readonly string[];
  /** 3. which rows are left out because of a member in them… */
  readonly hidden: HiddenBy;
  /** …and which rows are left out because the viewer may not see them */
  readonly may?: (row: Row, members: Members) => boolean;
  /** 4. the item of the reply for a row */
  readonly item: (row: Row, members: Members) => Item;
}

export type Members = ReadonlyMap<string, MemberSummary>;

/**
 * Reads ids first, then rows and members in batches, then filters once and makes the reply. A hundred items need as many statements as one.
 * A page may be shorter than requested; `hasMore` says whether it was the last page.
 */
export async function readMany<Found, Row, Item>(
  ctx: Pick<Context, 'db' | 'clock'>,
  { viewer, page, rows, members, hidden, may = () => true, item }: ReadMany<Found, Row, Item>,
): Promise<{ items: Item[]; next: Next }> {
  const all = await rows(page.rows);
  const named = new Set(all.flatMap((row) => members(row)));
  const known = await memberSummaries(ctx, named);
  const away = await hiddenFrom(ctx, viewer, named, hidden);
  const shown = all.filter((row) => !members(row).some((id) => away.has(id)) && may(row, known));
  return { items: shown.map((row) => item(row, known)), next: page.next };
}
