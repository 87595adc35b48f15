import { searchedKinds, socialLimits, type SearchedKind } from '../../../contract/social/limits.ts';
import { timeFrom } from '../../../base/iso-time.ts';
import { fieldProblem, type Problem } from '../../../base/problem.ts';
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

const condition = /^(?<name>from|hub|has|before):(?<value>.+)$/iu;
const hashtag = /^[#＃]+(?<tag>.+)$/u;
const something = /[\p{L}\p{N}]/u;

/**
 * Parses the text of a search. Whatever isn't a condition is text, whose characters other than letters and digits only separate words.
 * @throws Problem invalid VALIDATION_ERROR for a condition that can't be met, and for too many
 */
export function parseSocialQuery(q: string): SocialQuery {
  const words: string[] = [];
  const hashtags: string[] = [];
  const from: string[] = [];
  const hubs: string[] = [];
  const has: SearchedKind[] = [];
  const moments: number[] = [];
  for (const token of q.split(/\s+/u)) {
    const { name, value = '' } = condition.exec(token)?.groups ?? {};
    const tag = hashtag.exec(token)?.groups?.['tag'] ?? '';
    if (name !== undefined) {
      const kind = name.toLowerCase();
      if (kind === 'from') from.push(value.replace(/^@/u, ''));
      else if (kind === 'hub') hubs.push(value);
      else if (kind === 'has') has.push(kindOf(value));
      else moments.push(momentOf(value));
    } else if (something.test(tag)) hashtags.push(hashtagKey(tag));
    else words.push(token);
  }
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
  const moment = timeFrom(value.toUpperCase());
  if (moment === undefined)
    throw wrong('before: takes a date such as 2026-01-31, or a time such as 2026-01-31T18:00:00Z');
  return moment;
}

function wrong(message: string): Problem {
  return fieldProblem('q', message);
}
