import type { Context } from '../../../service/context.ts';
import { mostBytes, socialLimits } from '../../../contract/social/limits.ts';
import { whoBlocked } from '../../../shared/members/blocks.ts';
import { membersNamed } from '../../../shared/members/named.ts';
import { fieldProblem, type Problem } from '../../../base/problem.ts';
import { personRows } from '../people/found.ts';
import { entitiesOf, hashtagKey } from './entities.ts';
import { graphemesOf } from './length.ts';
import { wordsOfPost, type PostWords } from '../search/index-post.ts';

/** What a text says, found before the transaction that stores it. */
export interface ReadText {
  readonly content: string;
  readonly graphemes: number;
  /** usernames in lower case */
  readonly usernames: readonly string[];
  /** keys of its hashtags */
  readonly tags: readonly string[];
  readonly hasLink: boolean;
  /** for searches */
  readonly words: PostWords;
}

/** @param field the name of the text in the input. @throws Problem invalid POST_TOO_LONG, TOO_MANY_MENTIONS, TOO_MANY_HASHTAGS */
export function readText(field: string, content: string): ReadText {
  const most = socialLimits.hubPost;
  if (Buffer.byteLength(content) > mostBytes(most)) throw tooLong(field, most);
  const graphemes = graphemesOf(content, most);
  if (graphemes > most) throw tooLong(field, most);
  const usernames = new Set<string>();
  const tags = new Set<string>();
  const entities = entitiesOf(content);
  for (const { kind, text } of entities) {
    if (kind === 'mention') usernames.add(text.toLowerCase());
    if (kind === 'hashtag') tags.add(hashtagKey(text));
  }
  if (usernames.size > socialLimits.mentions) {
    const message = `must name at most ${socialLimits.mentions} members`;
    throw fieldProblem(field, message, { code: 'TOO_MANY_MENTIONS' });
  }
  if (tags.size > socialLimits.hashtags) {
    const message = `must have at most ${socialLimits.hashtags} hashtags`;
    throw fieldProblem(field, message, { code: 'TOO_MANY_HASHTAGS' });
  }
  return {
    content,
    graphemes,
    usernames: [...usernames],
    tags: [...tags],
    hasLink: entities.some(({ kind }) => kind === 'url'),
    words: wordsOfPost(content),
  };
}

/** @throws Problem invalid POST_TOO_LONG */
export function assertLength(field: string, { content, graphemes }: ReadText, most: number): void {
  if (graphemes > most || Buffer.byteLength(content) > mostBytes(most)) throw tooLong(field, most);
}

function tooLong(field: string, most: number): Problem {
  const message = `must be at most ${most} characters, and ${mostBytes(most)} bytes`;
  return fieldProblem(field, message, { code: 'POST_TOO_LONG' });
}

/** The members whom a text names, by username. Whoever blocked the author is as unknown as a name that nobody has. */
export async function mentionedBy(
  tx: Context,
  authorId: string,
  { usernames }: ReadText,
): Promise<Record<string, string>> {
  const found = await membersNamed(tx, usernames);
  const ids = found.flatMap((member) => (member === undefined || !member.active ? [] : [member.id]));
  const blockers = await whoBlocked(tx, authorId, ids);
  // Who left the social network is unknown there.
  const people = await personRows(tx, ids);
  const members = usernames.map((username, at) => [username, found[at]] as const);
  return Object.fromEntries(
    members.flatMap(([username, member]) =>
      member === undefined || !people.has(member.id) || blockers.has(member.id) ? [] : [[username, member.id] as const],
    ),
  );
}
