import { chatLimits, searchedKinds, type SearchedKind } from '../../contract/chat/limits.ts';
import { fieldProblem } from '../../base/problem.ts';
import { momentIn, momentRule, splitConditions } from '../../platform/store/search/conditions.ts';

/** What somebody searches for in conversations. */
export interface ChatQuery {
  /** free text */
  readonly text: string;
  /** usernames or ids, as they were typed */
  readonly from: readonly string[];
  /** conversations, as they were typed */
  readonly within: readonly string[];
  readonly has: readonly SearchedKind[];
  /** milliseconds since 1970 */
  readonly before: number | undefined;
}

/**
 * Parses the text of a search. Whatever isn't a condition is text.
 * @param field of the request that has it
 * @throws Problem invalid VALIDATION_ERROR for a condition that can't be met, and for too many
 */
export function parseChatQuery(q: string, field: string): ChatQuery {
  const { words, conditions } = splitConditions(q, ['from', 'in', 'has', 'before']);
  if (conditions.length > chatLimits.searchConditions)
    throw fieldProblem(field, `must have at most ${chatLimits.searchConditions} conditions`);
  const valuesOf = (name: (typeof conditions)[number]['name']) =>
    conditions.filter((one) => one.name === name).map(({ value }) => value);
  const has = valuesOf('has').map((value) => {
    const kind = searchedKinds.find((one) => one === value.toLowerCase());
    if (kind === undefined) throw fieldProblem(field, `has: takes one of ${searchedKinds.join(', ')}`);
    return kind;
  });
  const moments = valuesOf('before').map((value) => {
    const moment = momentIn(value);
    if (moment === undefined) throw fieldProblem(field, `before: ${momentRule}`);
    return moment;
  });
  return {
    text: words.join(' '),
    from: valuesOf('from').map((value) => value.replace(/^@/u, '')),
    within: valuesOf('in').map((value) => value.replace(/^[#@]/u, '')),
    has,
    before: moments.length === 0 ? undefined : Math.min(...moments),
  };
}
