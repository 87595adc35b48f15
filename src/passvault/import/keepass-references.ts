import { fromBase64 } from './file-text.ts';
import type { XmlNode } from './keepass-tree.ts';
import { childOf, childrenOf, wordIn } from './keepass-tree.ts';

const FIELDS: Readonly<Record<string, string>> = { T: 'Title', U: 'UserName', P: 'Password', A: 'URL', N: 'Notes' };

/** References may lead to references; no further than this. */
const MAX_STEPS = 10;
/** What all references of a file may bring in together: a short one can name a long text, again and again. */
const MAX_LENGTH = 16 * 1024 * 1024;

/**
 * Replaces `{REF:P@I:<UUID>}` by the field of the entry that it names. References by anything but the UUID, to what isn't
 * there, or in circles stay as they are.
 */
export type Resolve = (text: string) => string;

export function referencesIn(entries: readonly { readonly node: XmlNode }[]): Resolve {
  let byUuid: Map<string, XmlNode> | undefined;
  /** Of entries that were referred to: many may refer to one that is long. */
  const known = new Map<string, ReadonlyMap<string, string> | undefined>();
  let grown = 0;

  function stringsOf(uuid: string): ReadonlyMap<string, string> | undefined {
    const id = uuid.toUpperCase();
    if (known.has(id)) return known.get(id);
    byUuid ??= new Map(entries.map(({ node }) => [hexOf(wordIn(node, 'UUID')), node]));
    const entry = byUuid.get(id);
    const strings = entry && firstStringsIn(entry);
    known.set(id, strings);
    return strings;
  }

  function fieldOf(letter: string, uuid: string): string | undefined {
    const strings = stringsOf(uuid);
    const key = FIELDS[letter.toUpperCase()];
    if (key === undefined) return strings && uuid;
    return strings?.get(key);
  }

  return (text) => {
    let resolved = text;
    // No text without one is touched: passwords may hold braces.
    for (let step = 0; step < MAX_STEPS && /\{REF:/i.test(resolved); step += 1) {
      const next = resolved.replaceAll(/\{REF:([TUPANI])@I:([0-9A-F]{32})\}/gi, (all, letter: string, uuid: string) => {
        const value = fieldOf(letter, uuid) ?? all;
        grown += value.length;
        return grown > MAX_LENGTH ? all : value;
      });
      if (next === resolved) return resolved;
      resolved = next;
    }
    return /\{REF:[TUPANI]@I:/i.test(resolved) ? text : resolved;
  };
}

/** Of a key that is repeated, the first. */
function firstStringsIn(entry: XmlNode): Map<string, string> {
  const strings = new Map<string, string>();
  for (const string of childrenOf(entry, 'String')) {
    const [key, value] = [childOf(string, 'Key')?.text, childOf(string, 'Value')?.text];
    if (key !== undefined && value !== undefined && !strings.has(key)) strings.set(key, value);
  }
  return strings;
}

function hexOf(uuid: string): string {
  return fromBase64(uuid)?.toString('hex').toUpperCase() ?? '';
}
