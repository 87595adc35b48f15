/**
 * Finds many phrases in a text in one walk over it (Aho and Corasick, 1975), so that neither hundreds of filters nor a text that nearly
 * matches costs more than its length.
 */

export interface Phrase {
  readonly phrase: string;
  readonly wholeWord: boolean;
}

/** One form for all spellings of a letter: width, case in every script, and invisible characters between letters. */
export function folded(text: string): string {
  const bare = text.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Upper case makes ß and ss the same, but a capital ẞ is in upper case already, so lower case comes first.
  return bare
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll('i\u0307', 'i')
    .replaceAll(/\s+/g, ' ')
    .normalize('NFKC')
    .trim();
}

const wordCharacter = /[\p{L}\p{N}\p{M}_]/u;
/** These scripts are written without spaces. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]/u;

interface State {
  readonly next: Map<number, State>;
  /** the longest other beginning of a phrase that ends here */
  fallback: State | undefined;
  /** phrases that end here, by their place in the list */
  readonly ends: number[];
  /** the next state on the way of fallbacks with phrases */
  alsoEnds: State | undefined;
}

function newState(): State {
  return { next: new Map(), fallback: undefined, ends: [], alsoEnds: undefined };
}

/** @returns the places of the phrases that a text has */
export function matcherOf(phrases: readonly Phrase[]): (text: string) => number[] {
  const keys = phrases.map(({ phrase }) => folded(phrase));
  const start = machineOf(keys);
  return (text) => {
    const found = new Set<number>();
    const subject = folded(text);
    let state = start;
    for (let at = 0; at < subject.length; at += 1) {
      state = stepped(start, state, subject.charCodeAt(at));
      for (let ending: State | undefined = state; ending !== undefined; ending = ending.alsoEnds)
        for (const index of ending.ends) {
          if (found.has(index)) continue;
          const begin = at + 1 - (keys[index] as string).length;
          if (phrases[index]?.wholeWord !== true || (isEdge(subject, begin) && isEdge(subject, at + 1)))
            found.add(index);
        }
    }
    return [...found].toSorted((one, other) => one - other);
  };
}

function machineOf(keys: readonly string[]): State {
  const start = newState();
  for (const [index, key] of keys.entries()) {
    let state = start;
    for (let at = 0; at < key.length; at += 1) {
      const unit = key.charCodeAt(at);
      let next = state.next.get(unit);
      if (next === undefined) state.next.set(unit, (next = newState()));
      state = next;
    }
    if (state !== start) state.ends.push(index);
  }
  const waiting = [...start.next.values()];
  // The list grows while it is walked, so states come in the order of their depth.
  for (const state of waiting) {
    for (const [unit, next] of state.next) {
      next.fallback = stepped(start, state.fallback ?? start, unit);
      next.alsoEnds = next.fallback.ends.length > 0 ? next.fallback : next.fallback.alsoEnds;
      waiting.push(next);
    }
  }
  return start;
}

function stepped(start: State, from: State, unit: number): State {
  for (
    let state: State | undefined = from;
    state !== undefined;
    state = state.fallback ?? (state === start ? undefined : start)
  ) {
    const next = state.next.get(unit);
    if (next !== undefined) return next;
  }
  return start;
}

/** Whether a word can begin or end between the characters before and at a place. */
function isEdge(text: string, at: number): boolean {
  const before = characterBefore(text, at);
  const after = at < text.length ? String.fromCodePoint(text.codePointAt(at) as number) : '';
  if (!wordCharacter.test(before) || !wordCharacter.test(after)) return true;
  return unspaced.test(before) || unspaced.test(after);
}

function characterBefore(text: string, at: number): string {
  if (at === 0) return '';
  const last = text.charCodeAt(at - 1);
  const isTrail = last >= 0xdc00 && last <= 0xdfff && at > 1;
  return text.slice(isTrail ? at - 2 : at - 1, at);
}
