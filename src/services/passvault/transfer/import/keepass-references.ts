import { fromBase64 } from './file-text.ts';
import type { XmlNode } from './keepass-tree.ts';
import { childOf, childrenOf, wordIn } from './keepass-tree.ts';

const FIELDS: Readonly<Record<string, string>> = { T: 'Title', U: 'UserName', P: 'Password', A: 'URL', N: 'Notes' };

/** References may lead to further references, but at most this many. */
const MAX_STEPS = 10;
/** Limit for the text that all references of a file insert: a short reference can insert a long text again and again. */
const MAX_LENGTH = 16 * 1024 * 1024;

/**
 * Replaces `{REF:P@I:<UUID>}` and `{REF:P@T:<title>}` by the field of the named entry (https://keepass.info/help/base/fieldrefs.html). A
 * reference stays unchanged if it names no entry or several, or is circular. A field must be equal to the text that is searched for:
 * KeePass also takes parts of it, and the first entry, which could be the wrong one.
 */
export type Resolve = (text: string) => string;

/** A text and its references. They are parsed once, no matter how many references lead to it. */
interface Text {
  readonly text: string;
  /** The pieces of the text and the references between them; undefined until they are needed. */
  parts?: (string | Reference)[];
  /** The length of the longest chain of references from here; infinite for a circle. */
  depth?: number;
  resolved?: string;
}

interface Reference {
  readonly written: string;
  readonly target: Text;
}

export function referencesIn(entries: readonly { readonly node: XmlNode }[]): Resolve {
  /** By the letter of the field: its values, and the entry that has each; undefined if several have it. */
  const indexes = new Map<string, Map<string, XmlNode | undefined>>();
  /** Fields of entries that are the target of a reference. Many references may lead to one long entry. */
  const known = new Map<XmlNode, ReadonlyMap<string, Text>>();
  let left = MAX_LENGTH;

  function indexOf(letter: string): Map<string, XmlNode | undefined> {
    const made = indexes.get(letter);
    if (made !== undefined) return made;
    const index = new Map<string, XmlNode | undefined>();
    for (const { node } of entries)
      for (const value of valuesIn(node, letter)) index.set(value, index.has(value) ? undefined : node);
    indexes.set(letter, index);
    return index;
  }

  function textsOf(entry: XmlNode): ReadonlyMap<string, Text> {
    const texts = known.get(entry) ?? firstTextsIn(entry);
    known.set(entry, texts);
    return texts;
  }

  function targetOf(wanted: string, searched: string, value: string): Text | undefined {
    const entry = indexOf(searched).get(searched === 'I' ? value.toUpperCase() : value);
    if (entry === undefined) return undefined;
    const key = FIELDS[wanted];
    return key === undefined ? { text: hexOf(wordIn(entry, 'UUID')) } : textsOf(entry).get(key);
  }

  function partsOf(text: string): (string | Reference)[] {
    const parts: (string | Reference)[] = [];
    let copied = 0;
    // Without braces in the value, each character is looked at once.
    for (const match of text.matchAll(/\{REF:([TUPANI])@([TUPANIO]):([^{}]+)\}/gi)) {
      const [written, wanted = '', searched = '', value = ''] = match;
      const target = targetOf(wanted.toUpperCase(), searched.toUpperCase(), value);
      if (target === undefined) continue;
      parts.push(text.slice(copied, match.index), { written, target });
      copied = match.index + written.length;
    }
    parts.push(text.slice(copied));
    return parts;
  }

  /** Resolves the targets before the text itself, without recursion: a chain may have thousands of references. */
  function resolve(start: Text): void {
    const waiting = [start];
    for (let text = waiting.at(-1); text !== undefined; text = waiting.at(-1)) {
      if (text.depth !== undefined) waiting.pop();
      else if (text.parts === undefined) {
        text.parts = partsOf(text.text);
        for (const part of text.parts)
          if (typeof part !== 'string' && part.target.parts === undefined) waiting.push(part.target);
      } else {
        finish(text, text.parts);
        waiting.pop();
      }
    }
  }

  function finish(text: Text, parts: readonly (string | Reference)[]): void {
    let depth = 0;
    for (const part of parts) {
      // A target that has been started but has no depth yet contains this text, so the references form a circle.
      if (typeof part !== 'string') depth = Math.max(depth, 1 + (part.target.depth ?? Number.POSITIVE_INFINITY));
    }
    text.depth = depth;
    text.resolved = depth === 0 || depth > MAX_STEPS ? text.text : parts.map((part) => textOf(part)).join('');
  }

  function textOf(part: string | Reference): string {
    if (typeof part === 'string') return part;
    const value = part.target.resolved ?? part.target.text;
    if (value.length > left) return part.written;
    left -= value.length;
    return value;
  }

  return (text) => {
    // A text without a reference stays unchanged, because passwords may contain braces.
    if (!hasReference(text)) return text;
    const root: Text = { text };
    resolve(root);
    return root.resolved ?? text;
  };
}

export function hasReference(text: string): boolean {
  return /\{REF:/i.test(text);
}

/** The different values of an entry that a search by this letter compares. */
function valuesIn(entry: XmlNode, letter: string): Set<string> {
  if (letter === 'I') return new Set([hexOf(wordIn(entry, 'UUID'))]);
  const texts = firstTextsIn(entry);
  const standard = Object.values(FIELDS);
  const keys = letter === 'O' ? [...texts.keys()].filter((key) => !standard.includes(key)) : [FIELDS[letter] ?? ''];
  return new Set(keys.map((key) => texts.get(key)?.text ?? ''));
}

/** The texts of an entry by key; the first one if a key is repeated. */
function firstTextsIn(entry: XmlNode): Map<string, Text> {
  const texts = new Map<string, Text>();
  for (const string of childrenOf(entry, 'String')) {
    const [key, value] = [childOf(string, 'Key')?.text, childOf(string, 'Value')?.text];
    if (key !== undefined && value !== undefined && !texts.has(key)) texts.set(key, { text: value });
  }
  return texts;
}

function hexOf(uuid: string): string {
  return fromBase64(uuid)?.toString('hex').toUpperCase() ?? '';
}
