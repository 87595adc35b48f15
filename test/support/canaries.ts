/** Words that stand nowhere else, to find out where a secret gets to. */
export interface Canaries {
  readonly all: readonly string[];
  /** a new one, to be used as the secret that it is called after */
  plant(what: string): string;
  /** a secret that the program itself made */
  add(secret: string): string;
}

export function canaries(): Canaries {
  const all: string[] = [];
  const add = (secret: string) => {
    all.push(secret);
    return secret;
  };
  return { all, add, plant: (what) => add(`Canary${all.length}-${what}-Zx9Qw7Lk`) };
}

/** What text would look like in a store or a log: as it is, hex, base 64 and UTF-16. */
function spellings(word: string): string[] {
  const found = [word, word.toLowerCase()];
  const wide = Buffer.from(word, 'utf16le');
  found.push(wide.toString('latin1'), wide.swap16().toString('latin1'));
  for (const bytes of [Buffer.from(word), Buffer.from(word, 'utf16le')]) {
    const hex = bytes.toString('hex');
    found.push(hex, hex.toUpperCase());
    // Base 64 begins at any of three offsets; the ends depend on what stands beside.
    for (const offset of [0, 1, 2]) {
      const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
      const inner = text.slice(offset === 0 ? 0 : 4, -4);
      found.push(inner, inner.replaceAll('+', '-').replaceAll('/', '_'));
    }
  }
  return found;
}

/** @returns the canaries that stand in a place, in whatever spelling */
export function leaks(secrets: readonly string[], place: string | Uint8Array): string[] {
  // One character a byte, for text as well: what is not ASCII in it is spelled as in a file.
  const text = Buffer.from(place).toString('latin1');
  return secrets.filter((secret) => spellings(secret).some((spelling) => text.includes(spelling)));
}
