import type { Filter } from './line-ends.ts';

const LF = 10;
const ARROW = 62;
const word = Buffer.from('From ');
const arrow = Buffer.from('>');

/** mboxrd: a line that begins with `From `, after any number of `>`, gets one `>` more. Lines end with LF. */
export function quoteFrom(): Filter {
  return changeFrom(true);
}

/** Takes one `>` away from lines that `quoteFrom` changed. mboxo adds it only where there is none; its files are read the same way. */
export function unquoteFrom(): Filter {
  return changeFrom(false);
}

/** All `>` of a line are alike, so the one that is added or taken away can be the last. So little has to be held back. */
function changeFrom(adds: boolean): Filter {
  let inLine = false;
  let matched = 0;
  let heldArrow = false;
  const held = (): Uint8Array[] => {
    const parts = [...(heldArrow ? [arrow] : []), word.subarray(0, matched)];
    heldArrow = false;
    matched = 0;
    return parts;
  };
  return {
    push(bytes) {
      const parts: Uint8Array[] = [];
      for (let at = 0; at < bytes.length;) {
        if (inLine) {
          const end = bytes.indexOf(LF, at);
          const until = end === -1 ? bytes.length : end + 1;
          parts.push(bytes.subarray(at, until));
          inLine = end === -1;
          at = until;
        } else if (matched === 0 && bytes[at] === ARROW) {
          if (adds || heldArrow) parts.push(arrow);
          heldArrow = !adds;
          at += 1;
        } else if (bytes[at] === word[matched]) {
          matched += 1;
          at += 1;
          if (matched < word.length) continue;
          if (adds) parts.push(arrow);
          heldArrow = false;
          parts.push(...held());
          inLine = true;
        } else {
          parts.push(...held());
          inLine = true;
        }
      }
      return Buffer.concat(parts);
    },
    end: () => Buffer.concat(held()),
  };
}
