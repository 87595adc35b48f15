import { matchAt, urlAt } from './links.ts';

/**
 * Hashtags, mentions and links in plain text, by the rules of twitter-text's conformance suite. Deviations from the suite, all on purpose:
 * - Usernames are those of this server: 3 to 30 letters, digits, _ and -. Hyphens at the end count as punctuation, so `@alice-` means `@alice`.
 * - A name after a Latin letter with an accent is part of an address (`josé@example.com`), as after an ASCII letter.
 * - A hashtag needs a letter that can be seen, and at most 100 characters in its key.
 * - A host before @ is part of an address, even if a shorter host could be cut from it.
 * - There is no list of top-level domains that would age. After http:// any word of two or more letters is one. Without it only com, org, edu,
 *   gov, net and the domains of countries are.
 * - There are no cashtags and no lists, and of two that overlap the one that starts first counts.
 */
export interface Entity {
  readonly kind: 'hashtag' | 'mention' | 'url';
  /** UTF-16 code units. The end is excluded. */
  readonly start: number;
  readonly end: number;
  /** The tag without its sign, the username without @, or the link as written. */
  readonly text: string;
}

const mostHashtagLength = 100;

const tagCharacter = String.raw`\p{L}\p{M}\p{Nd}_\u200c\u200d\ua67e\u05be\u05f3\u05f4\uff5e\u301c\u309b\u309c\u30a0\u30fb\u3003\u0f0b\u0f0c\u00b7`;

// All patterns but the first are tried at one place alone, and none repeats a repetition, so time is linear in the text.
const candidate = /[#＃@＠]|[\p{Script=Latin}\u0300-\u036f0-9._-]+/gu;
const tagBody = new RegExp(String.raw`(?![\ufe0f\u20e3])[${tagCharacter}]+`, 'uy');
// A variation selector is a mark, but what it follows is an emoji.
const beforeTag = new RegExp(String.raw`(?![\ufe0e\ufe0f])[${tagCharacter}&]`, 'u');
const afterTag = /[#＃]|:\/\//y;
const usernameBody = /[A-Za-z0-9_-]+/y;
const beforeMention = /[\p{Script=Latin}\u0300-\u036f0-9_!#＃$%&*@＠]/u;
const beforeRetweet = /[\p{Script=Latin}0-9_+~.-]/u;
const afterMention = /[\p{Script=Latin}\u0300-\u036f@＠]|:\/\//uy;

export function entitiesOf(content: string): readonly Entity[] {
  const found: Entity[] = [];
  const candidates = new RegExp(candidate);
  for (let match = candidates.exec(content); match; match = candidates.exec(content)) {
    const entity = entityAt(content, match.index, match[0]);
    if (!entity) continue;
    found.push(entity);
    candidates.lastIndex = entity.end;
  }
  return found;
}

function entityAt(content: string, start: number, candidateText: string): Entity | undefined {
  if (candidateText === '#' || candidateText === '＃') return hashtagAt(content, start);
  if (candidateText === '@' || candidateText === '＠') return mentionAt(content, start);
  const url = urlAt(content, start, start + candidateText.length);
  return url && { kind: 'url', ...url, text: content.slice(url.start, url.end) };
}

function hashtagAt(content: string, start: number): Entity | undefined {
  if (beforeTag.test(characterBefore(content, start))) return undefined;
  const text = matchAt(tagBody, content, start + 1);
  // The key can be shorter than the tag. It is not made of what is far too long, because to sort marks takes time.
  if (!text || text.length > 4 * mostHashtagLength) return undefined;
  const end = start + 1 + text.length;
  if (matchAt(afterTag, content, end)) return undefined;
  const key = hashtagKey(text);
  if (key.length > mostHashtagLength || !/\p{L}/u.test(key)) return undefined;
  return { kind: 'hashtag', start, end, text };
}

function mentionAt(content: string, start: number): Entity | undefined {
  if (beforeMention.test(characterBefore(content, start)) && !followsRetweet(content, start)) return undefined;
  const name = matchAt(usernameBody, content, start + 1);
  if (!name) return undefined;
  let length = name.length;
  while (name[length - 1] === '-') length -= 1;
  if (length < 3 || length > 30 || matchAt(afterMention, content, start + 1 + name.length)) return undefined;
  return { kind: 'mention', start, end: start + 1 + length, text: name.slice(0, length) };
}

function followsRetweet(content: string, start: number): boolean {
  return (
    /rt/i.test(content.slice(Math.max(0, start - 2), start)) && !beforeRetweet.test(characterBefore(content, start - 2))
  );
}

/**
 * Two tags are the same tag when their keys are equal: without regard to case, width (full, half), composition of accents, and characters that
 * cannot be seen. All four letters i of Turkish are one, so the key does not depend on a language. Accents count.
 */
export function hashtagKey(tag: string): string {
  return tag
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase() // ẞ has no other capital letter, so it becomes ß first and ss after that
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll(/i\u0307+/g, 'i')
    .normalize('NFKC');
}

function characterBefore(content: string, index: number): string {
  const low = content.charCodeAt(index - 1);
  const isPair = low >= 0xdc00 && low <= 0xdfff && index >= 2;
  return content.slice(Math.max(0, isPair ? index - 2 : index - 1), Math.max(0, index));
}
