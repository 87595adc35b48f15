import { fromBase64 } from './file-text.ts';
import type { XmlNode } from './keepass-tree.ts';
import { childOf, childrenOf, wordIn } from './keepass-tree.ts';

const FIELDS: Readonly<Record<string, string>> = { T: 'Title', U: 'UserName', P: 'Password', A: 'URL', N: 'Notes' };

/** References may lead to further references, but at most this many. */
const MAX_STEPS = 10;
/** Limit for the text that all references of a file insert: a short reference can insert a long text again and again. */
const MAX_LENGTH = 16 * 1024 * 1024;

/**
 * Replaces `{REF:P@I:<UUID>}` by the field of the named entry. A reference stays unchanged if it doesn't use the UUID, has no target, or is
 * circular.
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
  let byUuid: Map<string, XmlNode> | undefined;
  /** Fields of entries that are the target of a reference. Many references may lead to one long entry. */
  const known = new Map<string, ReadonlyMap<string, Text> | undefined>();
  let left = MAX_LENGTH;

  function textsOf(uuid: string): ReadonlyMap<string, Text> | undefined {
    const id = uuid.toUpperCase();
    if (known.has(id)) return known.get(id);
    byUuid ??= new Map(entries.map(({ node }) => [hexOf(wordIn(node, 'UUID')), node]));
    const entry = byUuid.get(id);
    const texts = entry && firstTextsIn(entry);
    known.set(id, texts);
    return texts;
  }

  function targetOf(letter: string, uuid: string): Text | undefined {
    const texts = textsOf(uuid);
    const key = FIELDS[letter.toUpperCase()];
    if (key === undefined) return texts && { text: uuid };
    return texts?.get(key);
  }

  function partsOf(text: string): (string | Reference)[] {
    const parts: (string | Reference)[] = [];
    let copied = 0;
    for (const match of text.matchAll(/\{REF:([TUPANI])@I:([0-9A-F]{32})\}/gi)) {
      const [written, letter = '', uuid = ''] = match;
      const target = targetOf(letter, uuid);
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
    if (!/\{REF:/i.test(text)) return text;
    const root: Text = { text };
    resolve(root);
    return root.resolved ?? text;
  };
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
