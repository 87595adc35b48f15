type Part =
  | string
  | { readonly any: true }
  | { readonly star: true }
  | { readonly set: ReadonlySet<string>; readonly not: boolean };

/** Whether a name on the command line has characters of a pattern. */
export function isGlob(text: string): boolean {
  return /[*?[]/.test(text);
}

/**
 * Whether a name matches a pattern: `*` is anything, `?` one character, `[a-z]` one of these, `[!a-z]` none of them. As in a shell, a dot at
 * the beginning has to be written. It goes back to one star at most, so no pattern takes long.
 */
export function nameMatches(pattern: string, name: string): boolean {
  const parts = partsOf(pattern.normalize('NFC'));
  const characters = Array.from(name.normalize('NFC'));
  if (characters[0] === '.' && parts[0] !== '.') return false;
  let [at, part] = [0, 0];
  let [starAt, starPart] = [-1, -1];
  while (at < characters.length) {
    const wanted = parts[part];
    if (wanted !== undefined && typeof wanted !== 'string' && 'star' in wanted) {
      [starAt, starPart] = [at, part];
      part += 1;
    } else if (wanted !== undefined && fits(wanted, characters[at] ?? '')) {
      at += 1;
      part += 1;
    } else if (starPart >= 0) {
      starAt += 1;
      [at, part] = [starAt, starPart + 1];
    } else return false;
  }
  return parts.slice(part).every((one) => typeof one !== 'string' && 'star' in one);
}

function fits(part: Part, character: string): boolean {
  if (typeof part === 'string') return part === character;
  if ('set' in part) return part.set.has(character) !== part.not;
  return 'any' in part;
}

function partsOf(pattern: string): Part[] {
  const parts: Part[] = [];
  const characters = Array.from(pattern);
  for (let at = 0; at < characters.length; at += 1) {
    const one = characters[at] ?? '';
    const end = one === '[' ? characters.indexOf(']', at + (characters[at + 1] === '!' ? 3 : 2)) : -1;
    if (one === '*') parts.push({ star: true });
    else if (one === '?') parts.push({ any: true });
    else if (end > 0) {
      const not = characters[at + 1] === '!';
      parts.push({ set: setOf(characters.slice(at + (not ? 2 : 1), end)), not });
      at = end;
    } else parts.push(one);
  }
  return parts;
}

function setOf(characters: readonly string[]): Set<string> {
  const set = new Set<string>();
  for (let at = 0; at < characters.length; at += 1) {
    const [from = '', dash, to] = characters.slice(at, at + 3);
    if (dash !== '-' || to === undefined) {
      set.add(from);
      continue;
    }
    for (let code = from.codePointAt(0) ?? 0; code <= (to.codePointAt(0) ?? 0); code += 1)
      set.add(String.fromCodePoint(code));
    at += 2;
  }
  return set;
}

/** Whether a path matches a pattern part by part; `**` is any number of names, and none that begins with a dot. */
export function pathMatches(pattern: readonly string[], path: readonly string[]): boolean {
  // reach[at]: whether the parts of the pattern so far can stand for the first `at` names.
  let reach = Array.from({ length: path.length + 1 }, (_, at) => at === 0);
  for (const one of pattern) {
    const next: boolean[] = [];
    for (const at of reach.keys()) {
      const name = path[at - 1] ?? '';
      next[at] =
        one === '**'
          ? reach[at] === true || (at > 0 && next[at - 1] === true && !name.startsWith('.'))
          : at > 0 && reach[at - 1] === true && nameMatches(one, name);
    }
    reach = next;
  }
  return reach[path.length] === true;
}

/** What `--exclude` leaves out. */
export type Excluding = (path: readonly string[], isFolder: boolean) => boolean;

/** A pattern without a slash is about names in any folder; one with a slash is about paths from the top; one that ends in a slash is about folders. */
export function excluding(patterns: readonly string[]): Excluding {
  const rules = patterns.map((pattern) => {
    const body = pattern.replace(/\/+$/, '');
    const parts = body.split('/').filter((part) => part !== '' && part !== '.');
    return { parts, anywhere: !body.includes('/'), folders: body !== pattern };
  });
  return (path, isFolder) =>
    rules.some(({ parts, anywhere, folders }) => {
      if (folders && !isFolder) return false;
      if (anywhere) return matchesDots(parts.slice(0, 1), path.slice(-1));
      return matchesDots(parts, path);
    });
}

/** Whoever leaves out `*.tmp` means `.a.tmp` too. */
function matchesDots(parts: readonly string[], path: readonly string[]): boolean {
  const visible = (name: string): string => name.replace(/^\./, '\u0000.');
  return pathMatches(
    parts.map((part) => (part === '**' ? part : visible(part))),
    path.map(visible),
  );
}
