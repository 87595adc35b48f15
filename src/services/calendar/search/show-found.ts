import type { Context } from '../../../service/context.ts';
import type { FoundEvent } from '../../../contract/calendar/search.ts';
import { wordsOf } from '../../../platform/store/search/words.ts';
import type { OpenCalendar } from '../access.ts';
import { insightOf, toEvent } from '../events/dto.ts';
import type { TimeRange } from '../events/range.ts';
import { isSeries } from '../events/show.ts';
import type { OpenObject } from '../objects/read.ts';
import { expand, nextInstance } from '../recurrence/expand.ts';
import { unlessTooComplex } from '../recurrence/rule-error.ts';
import { eventsIn, searchedFields, searchedTexts, type SearchedField } from './texts.ts';

interface Reader {
  readonly memberId: string;
  readonly calendar: OpenCalendar;
}

/** Whether an instance is in a range. */
export function happensIn({ series, zones }: OpenObject, range: TimeRange): boolean {
  return unlessTooComplex(() => expand(series, { ...range, limit: 1 }, zones).instances.length > 0, false);
}

/** Where of what the reader sees the words are. @returns undefined if not all of them are there */
export function matchedIn(
  { row, object }: OpenObject,
  { memberId, calendar }: Reader,
  words: readonly string[],
): SearchedField[] | undefined {
  const seen = new Map<SearchedField, Set<string>>(searchedFields.map((field) => [field, new Set()]));
  for (const event of eventsIn(object)) {
    const insight = insightOf(calendar, memberId, row, event);
    if (insight === 'busy') continue;
    const texts = searchedTexts(event);
    for (const field of insight === 'all' ? searchedFields : (['summary'] as const))
      for (const word of wordsOf(texts[field])) seen.get(field)?.add(word);
  }
  const sets = [...seen.values()];
  if (!words.every((word) => sets.some((set) => set.has(word)))) return undefined;
  return searchedFields.filter((field) => words.some((word) => seen.get(field)?.has(word)));
}

/** A result as the reader sees it. @returns undefined for what is no event */
export function toFound(
  { clock }: Pick<Context, 'clock'>,
  open: OpenObject,
  reader: Reader,
  { score, matchedIn: fields }: Pick<FoundEvent, 'score' | 'matchedIn'>,
): FoundEvent | undefined {
  const event = toEvent(open, reader);
  if (event === undefined) return undefined;
  const next = isSeries(open)
    ? unlessTooComplex(() => nextInstance(open.series, open.zones, clock.now()), undefined)
    : undefined;
  return {
    ...event,
    score,
    matchedIn: fields,
    ...(next !== undefined && { nextOccurrence: new Date(next.start).toISOString() }),
  };
}
