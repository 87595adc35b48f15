import type { SearchDocument } from '../../../../src/platform/store/search/document.ts';
import { soughtWords, wordsOf } from '../../../../src/platform/store/search/words.ts';

/** What a search has to find, by looking at every document. */
export interface Sought {
  readonly text: string;
  readonly tags: readonly string[];
  readonly prefix: boolean;
}

export interface Expected {
  readonly id: string;
  readonly at: number;
  readonly score: number;
}

/** In no order. */
export function scan(documents: Iterable<SearchDocument>, { text, tags, prefix }: Sought): Expected[] {
  const sought = soughtWords(text);
  if (sought.length === 0) return [];
  const found: Expected[] = [];
  for (const document of documents) {
    if (tags.some((tag) => !(document.tags ?? []).includes(tag))) continue;
    const title = wordsOf(document.title ?? '');
    const all = [...new Set(title), ...wordsOf(document.text)];
    const scores = [...new Set(sought)].map((word) => {
      const count = all.filter((other) => other === word).length;
      if (count > 0) return 2 + Math.min(3, Math.floor(Math.log2(count))) + (title.includes(word) ? 4 : 0);
      const open = prefix && sought.indexOf(word) === sought.length - 1;
      return open && all.some((other) => other.startsWith(word)) ? 1 : 0;
    });
    if (scores.includes(0)) continue;
    found.push({ id: document.id, at: document.at, score: scores.reduce((sum, score) => sum + score, 0) });
  }
  return found;
}
