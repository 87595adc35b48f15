import { Problem } from '../problem.ts';

/**
 * Refuses JSON in which an object names a key twice: parsers disagree on which of the two counts (RFC 8259, section 4),
 * so a proxy in front could have checked the other one.
 *
 * @param text JSON that has been parsed already, so its grammar needs no checking here
 */
export function refuseDuplicateKeys(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  let keyNext = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22 /* " */: {
        const end = endOfString(text, at);
        const keys = open.at(-1);
        if (keyNext && keys !== undefined) {
          const raw = text.slice(at, end + 1);
          const key = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
          if (keys.has(key))
            throw new Problem('invalid', 'VALIDATION_ERROR', 'The body names a key twice in one object.');
          keys.add(key);
          keyNext = false;
        }
        at = end;
        break;
      }
      case 0x7b /* { */:
        open.push(new Set());
        keyNext = true;
        break;
      case 0x5b /* [ */:
        open.push(undefined);
        keyNext = false;
        break;
      case 0x7d /* } */:
      case 0x5d /* ] */:
        open.pop();
        keyNext = false;
        break;
      case 0x2c /* , */:
        keyNext = open.at(-1) !== undefined;
        break;
    }
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at;
}
