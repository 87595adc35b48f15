import { searchedKinds, socialLimits, type SearchedKind } from '../../../contract/social/limits.ts';
import { fieldProblem, type Problem } from '../../../base/problem.ts';
import { momentIn, momentRule, splitConditions } from '../../../platform/store/search/conditions.ts';
import { hashtagKey } from '../posts/entities.ts';

/** What somebody searches for. */
export interface SocialQuery {
  /** free text */
  readonly text: string;
  /** whether its last word is a beginning */
  readonly prefix: boolean;
  /** keys */
  readonly hashtags: readonly string[];
  /** usernames or ids, as they were typed */
  readonly from: readonly string[];
  readonly hubs: readonly string[];
  readonly has: readonly SearchedKind[];
  /** milliseconds since 1970 */
  readonly before: number | undefined;
}

const hashtag = /^[#＃]+(?<tag>.+)$/u;
const something = /[\p{L}\p{N}]/u;

/**
 * Parses the text of a search. Whatever isn't a condition is text, whose characters other than letters and digits only separate words.
 * @throws Problem invalid VALIDATION_ERROR for a condition that can't be met, and for too many
 */
export function parseSocialQuery(q: string): SocialQuery {
  const split = splitConditions(q, ['from', 'hub', 'has', 'before']);
  const valuesOf = (name: (typeof split.conditions)[number]['name']) =>
    split.conditions.filter((one) => one.name === name).map(({ value }) => value);
  const tagIn = (token: string) => hashtag.exec(token)?.groups?.['tag'] ?? '';
  const isHashtag = (token: string) => something.test(tagIn(token));
  const hashtags = split.words.filter(isHashtag).map((token) => hashtagKey(tagIn(token)));
  const words = split.words.filter((token) => !isHashtag(token));
  const from = valuesOf('from').map((value) => value.replace(/^@/u, ''));
  const hubs = valuesOf('hub');
  const has = valuesOf('has').map(kindOf);
  const moments = valuesOf('before').map(momentOf);
  const conditions = hashtags.length + from.length + hubs.length + has.length + moments.length;
  if (conditions > socialLimits.searchConditions)
    throw wrong(`must have at most ${socialLimits.searchConditions} conditions`);
  const text = words.join(' ');
  return {
    text,
    prefix: /[\p{L}\p{N}\p{M}]\*\s*$/u.test(text),
    hashtags,
    from,
    hubs,
    has,
    before: moments.length === 0 ? undefined : Math.min(...moments),
  };
}

function kindOf(value: string): SearchedKind {
  const found = searchedKinds.find((kind) => kind === value.toLowerCase());
  if (found === undefined) throw wrong(`has: takes one of ${searchedKinds.join(', ')}`);
  return found;
}

function momentOf(value: string): number {
  const moment = momentIn(value);
  if (moment === undefined) throw wrong(`before: ${momentRule}`);
  return moment;
}

function wrong(message: string): Problem {
  return fieldProblem('q', message);
}
