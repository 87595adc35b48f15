import type { Context } from '../context.ts';
import type { Next, Page } from '../store/page.ts';
import { hiddenFrom, type HiddenBy } from './blocks.ts';
import { memberSummaries, type MemberSummary } from './summaries.ts';

/** How a list becomes a reply: what it takes to show one thing takes it for all at once. */
export interface ReadMany<Found, Row, Item> {
  /** who looks at it */
  readonly viewer: string;
  /** 1. which: a page of keys, and of nothing that takes work to read */
  readonly page: Page<Found>;
  /** 2. the rows of all of them in a fixed number of statements, in the same order; without what is gone meanwhile */
  readonly rows: (found: readonly Found[]) => Promise<readonly Row[]>;
  /** the members that a row names: they are looked up together */
  readonly members: (row: Row) => readonly string[];
  /** 3. what is left out, before anything is said of it: because of who is in the row… */
  readonly hidden: HiddenBy;
  /** …and because of what the viewer may see */
  readonly may?: (row: Row, members: Members) => boolean;
  /** 4. what is said of a row */
  readonly item: (row: Row, members: Members) => Item;
}

export type Members = ReadonlyMap<string, MemberSummary>;

/**
 * Ids first, then rows and members in batches, then one filter, then the reply: as many statements for a hundred as for one. A page
 * may come out shorter than was asked for; `hasMore` says whether it was the last.
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
