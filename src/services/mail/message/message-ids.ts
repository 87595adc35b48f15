/** A line has no more octets (RFC 5322 2.1.1). */
const LONGEST = 998;
const MOST = 100;

// Without @ it is no id by the grammar, and what isn't seen could make two ids that look alike.
const wellFormed = /^[^\s<>@\p{C}]+@[^\s<>@\p{C}]+$/u;

/** @returns the id without its brackets; undefined if the value is none */
export function messageIdFrom(value: string): string | undefined {
  const id = /^<([^<>]*)>$/.exec(value.trim())?.[1] ?? value.trim();
  return isId(id) ? id : undefined;
}

/** The ids in References or In-Reply-To: at most 100, the first and the last 99, as the first names the conversation. */
export function messageIdsIn(value: string): string[] {
  const ids = Array.from(value.matchAll(/<([^<>\s]{1,998})>/g), ([, id = '']) => id).filter(isId);
  return ids.length > MOST ? [...ids.slice(0, 1), ...ids.slice(1 - MOST)] : ids;
}

function isId(text: string): boolean {
  return Buffer.byteLength(text) <= LONGEST && wellFormed.test(text);
}
