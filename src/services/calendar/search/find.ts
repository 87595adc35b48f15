import type { Context } from '../../../service/context.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { amongWritten } from '../../../platform/store/search/among.ts';
import type { SearchSpace } from '../../../platform/store/search/document.ts';
import { search, type Search } from '../../../platform/store/search/search.ts';
import { soughtWords } from '../../../platform/store/search/words.ts';
import type { OpenCalendar } from '../access.ts';
import type { TimeRange } from '../events/range.ts';
import { happensText } from '../objects/runs.ts';
import { calendarSpace, limitedTag, type Limited } from '../indexing.ts';
import { openContentKey } from '../own-calendars.ts';

/** Events that fit so well are found; of one calendar, and of all. */
const MOST = 1_000;
/** A word that counts the least. Words of events that are not seen whole have no other weight. */
const LEAST_SCORE = 2;

export interface FoundObject {
  readonly id: string;
  readonly calendarId: string;
  /** the better, the higher */
  readonly score: number;
  /** milliseconds since 1970 */
  readonly at: number;
}

export interface Finding {
  readonly memberId: string;
  readonly calendars: readonly OpenCalendar[];
  readonly text: string;
  /** Some of those found may happen at other times, if their instances there are no rows. */
  readonly range: TimeRange | undefined;
}

/**
 * Objects that have all words of a text where the member may read them, the best ones first.
 * @throws Problem invalid VALIDATION_ERROR
 */
export async function findObjects(ctx: Context, finding: Finding): Promise<FoundObject[]> {
  const words = [...new Set(soughtWords(finding.text))];
  const found: FoundObject[] = [];
  for (const calendar of finding.calendars) {
    if (calendar.permission === 'freebusy' || words.length === 0) continue;
    const key = openContentKey(ctx, calendar);
    const space = calendarSpace({ id: calendar.id, key });
    key.fill(0);
    try {
      for (const one of searchesOf(finding, calendar, words))
        found.push(...(await findBy(ctx, finding.memberId, space, one, calendar.id)));
    } finally {
      space.key?.fill(0);
    }
  }
  return found.sort(better).slice(0, MOST);
}

type Rank = Pick<FoundObject, 'score' | 'at' | 'id'>;

/** In the order of a list of results. */
export function better(one: Rank, other: Rank): number {
  if (one.id === other.id) return 0;
  return other.score - one.score || other.at - one.at || (one.id < other.id ? 1 : -1);
}

type Wanted = Pick<Search, 'text' | 'tags' | 'wordless' | 'among'> & { readonly score?: number };

/**
 * What the index has of events that the member does not see whole is not looked at: these are found by the words alone that the member may
 * read, so that nothing about an answer tells of others.
 */
function searchesOf(
  { memberId, text, range }: Finding,
  { permission }: OpenCalendar,
  words: readonly string[],
): Wanted[] {
  const among = (which: string) => amongObjects(which, memberId, range);
  if (permission === 'owner') return [{ text, among: among('1 = 1') }];
  const who: Limited = permission === 'editor' ? 'editor' : 'viewer';
  const whole = `(o.created_by = :reader or o.visibility ${who === 'editor' ? "<> 'PRIVATE'" : "= 'PUBLIC'"})`;
  return [
    { text, among: among(whole) },
    {
      text: '',
      tags: words.map((word) => limitedTag(who, word)),
      wordless: true,
      among: among(`not ${whole}`),
      score: words.length * LEAST_SCORE,
    },
  ];
}

/** SQL: whether an object `o` may happen in a range. What has further instances than rows may. */
export const mayHappen = `(o.written_to < :to or o.written_from > :from or exists (select 1 from event_runs
  where object_id = o.id and ${happensText(':to', ':from')}))`;

function amongObjects(which: string, reader: string, range: TimeRange | undefined) {
  const happens = range === undefined ? '' : `and ${mayHappen}`;
  const text = `exists (select 1 from calendar_objects o where o.id = :id and o.component = 'VEVENT' and ${which} ${happens})`;
  return amongWritten(text, { reader, ...range });
}

async function findBy(
  ctx: Context,
  memberId: string,
  space: SearchSpace,
  { score: fixed, ...wanted }: Wanted,
  calendarId: string,
): Promise<FoundObject[]> {
  // Pages are made of what all calendars have.
  const listing = { list: 'calendar.search.words', memberId };
  const request = { space, ...wanted, order: 'relevance', listing, cursors: ctx } as const;
  try {
    const { rows } = await search(ctx.db, request, { limit: MOST });
    return rows.map(({ id, at, score }) => ({ id, at, calendarId, score: fixed ?? score }));
  } catch (error) {
    if (error instanceof Problem && error.code === 'QUERY_TOO_LONG') throw fieldProblem('q', 'has too many words');
    throw error;
  }
}
