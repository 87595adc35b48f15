import type { Context } from '../../../service/context.ts';
import type { FilterAction, FilterContext } from '../../../contract/social/filters.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { matcherOf } from './matching.ts';

/** What a post says to its readers. */
export interface FilteredText {
  readonly author_id: string;
  readonly content: string;
  readonly warning: string;
}

export interface AppliedFilters {
  /** whether a filter hides one of these posts: a post, and what it reposts or quotes */
  hides(texts: readonly FilteredText[]): boolean;
  /** phrases of filters that warn of them */
  warnings(texts: readonly FilteredText[]): string[];
}

interface Row {
  readonly phrase: string;
  readonly whole_word: number;
  readonly action: FilterAction;
  readonly contexts: string;
}

const active = writtenQuery<Row>(`
  select phrase, whole_word, action, contexts from social_filters
  where member_id = $1 and (expires_at is null or expires_at > $2) order by id`);

/** The filters of a reader that work in a place at this moment; undefined if there are none. */
export async function filtersFor(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  readerId: string,
  context: FilterContext,
): Promise<AppliedFilters | undefined> {
  const { rows } = await db.executeQuery(active(readerId, clock.now()));
  const here = rows.filter(({ contexts }) => (JSON.parse(contexts) as FilterContext[]).includes(context));
  if (here.length === 0) return undefined;
  const match = matcherOf(here.map((row) => ({ phrase: row.phrase, wholeWord: row.whole_word === 1 })));
  const found = (texts: readonly FilteredText[]): Set<number> =>
    new Set(
      texts.flatMap(({ author_id: authorId, content, warning }) =>
        // A word of two texts is none, so they are not joined.
        authorId === readerId ? [] : [...match(content), ...(warning === '' ? [] : match(warning))],
      ),
    );
  const hidden = here.some(({ action }) => action === 'hide');
  return {
    hides: (texts) => hidden && [...found(texts)].some((index) => here[index]?.action === 'hide'),
    warnings: (texts) => {
      const those = found(texts);
      return here.filter(({ action }, index) => action === 'warn' && those.has(index)).map(({ phrase }) => phrase);
    },
  };
}
