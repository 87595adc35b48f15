import { SaxesParser } from 'saxes';
import { Problem } from '../../../../base/problem.ts';
import type { ImportRun } from './import-run.ts';
import { MAX_IMPORT_RECORDS, notImportable } from './import-run.ts';

export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlNode[];
  text: string;
}

/** A field of an entry. */
export interface KeePassString {
  readonly value: string;
  readonly hidden: boolean;
}

export interface KeePassGroup {
  readonly parent: KeePassGroup | undefined;
  /** The group's own name. Name and UUID may follow the inner groups and entries. */
  name: string;
  uuid: string;
}

export interface KeePassTree {
  readonly meta: XmlNode | undefined;
  readonly rootGroups: number;
  readonly roots: number;
  /** In the order of the file, without the entries of histories. */
  readonly entries: readonly { readonly group: KeePassGroup | undefined; readonly node: XmlNode }[];
  /** Whether the file is cut off, or stops being well-formed XML. */
  readonly broken: boolean;
  /** Whether the file has invalid UTF-8. U+FFFD stands in its place. */
  readonly damagedText: boolean;
}

const MAX_DEPTH = 64;
/** Limit for nodes of entries and of the file's description. Some 50 MB of them make 2 million nodes, which take 300 MB. */
const MAX_NODES = 2_000_000;
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads the XML of KeePass in pieces.
 *
 * @throws Problem if it isn't such XML, has a document type (which could define entities), or is nested too deeply
 */
export async function readKeePassTree(bytes: Buffer, valid: boolean, run: ImportRun): Promise<KeePassTree> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const builder = newBuilder();
  listen(parser, builder);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let broken = false;
  try {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const chunk = bytes.subarray(at, at + CHUNK_BYTES);
      parser.write(decoder.decode(chunk, { stream: true }));
      // Half of the progress: a second pass makes records from the result of this one.
      run.reached(at + chunk.length, 2 * bytes.length);
      const turn = run.spend(2 * chunk.length);
      if (turn) await turn;
    }
    parser.write(decoder.decode());
    parser.close();
  } catch (error) {
    if (error instanceof Problem || !(error instanceof NotXml)) throw error;
    broken = true;
  }
  return { ...builder.tree(), broken, damagedText: !valid };
}

/** The parser's message quotes the file, so no message is kept. */
class NotXml extends Error {}

interface Builder {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(text: string): void;
  close(): void;
  tree(): Omit<KeePassTree, 'broken' | 'damagedText'>;
}

function listen(parser: SaxesParser<{ xmlns: false; position: false }>, builder: Builder): void {
  parser.on('doctype', () => {
    throw notImportable('The file has a document type declaration, which no export has.');
  });
  parser.on('error', () => {
    throw new NotXml();
  });
  parser.on('opentag', ({ name, attributes }) => builder.open(name, attributes));
  parser.on('text', (text) => builder.text(text));
  parser.on('cdata', (text) => builder.text(text));
  parser.on('closetag', () => builder.close());
}

function newBuilder(): Builder {
  const stack: { node: XmlNode; group: KeePassGroup | undefined; inEntry: boolean }[] = [];
  const entries: { group: KeePassGroup | undefined; node: XmlNode }[] = [];
  const counts = { roots: 0, rootGroups: 0 };
  const none = {};
  let meta: XmlNode | undefined;
  let nodes = 0;

  return {
    open(name, attributes) {
      const around = stack.at(-1);
      if (around === undefined && name !== 'KeePassFile')
        throw notImportable('The file is not an XML export of KeePass.');
      if (stack.length >= MAX_DEPTH) throw notImportable(`The file is nested more than ${MAX_DEPTH} levels deep.`);
      const own = Object.keys(attributes).length === 0 ? none : attributes;
      const node: XmlNode = { name, attributes: own, children: [], text: '' };
      const isGroup = name === 'Group' && around?.inEntry !== true;
      const group = isGroup ? { parent: around?.group, name: '', uuid: '' } : around?.group;
      if (stack.length === 1 && name === 'Root') counts.roots += 1;
      if (isGroup && around?.node.name === 'Root') counts.rootGroups += 1;
      stack.push({ node, group, inEntry: around?.inEntry === true || name === 'Entry' });
    },
    text(text) {
      const around = stack.at(-1);
      if (around) around.node.text += text;
    },
    close() {
      const closed = stack.pop();
      const around = stack.at(-1);
      if (closed === undefined || around === undefined) return;
      const { node } = closed;
      if (node.name === 'Entry' && !around.inEntry) {
        if (entries.length >= MAX_IMPORT_RECORDS) {
          throw notImportable(`The file has more than ${MAX_IMPORT_RECORDS} records.`);
        }
        entries.push({ group: closed.group, node });
      } else if (node.name === 'Meta' && stack.length === 1) meta = node;
      else if (around.node.name === 'Group' && !around.inEntry) describe(closed.group, node);
      else if (node.name !== 'Group' || around.inEntry) {
        nodes += 1;
        if (nodes > MAX_NODES) throw notImportable('The file has more elements than an export has.');
        around.node.children.push(node);
      }
    },
    tree: () => ({ meta, ...counts, entries }),
  };
}

/** Keeps the name and the UUID of a group, the first of each. */
function describe(group: KeePassGroup | undefined, { name, text }: XmlNode): void {
  if (group === undefined) return;
  if (name === 'Name') group.name ||= text.trim();
  else if (name === 'UUID') group.uuid ||= text.trim();
}

export function childOf(node: XmlNode | undefined, name: string): XmlNode | undefined {
  return node?.children.find((child) => child.name === name);
}

export function childrenOf(node: XmlNode | undefined, name: string): XmlNode[] {
  return node?.children.filter((child) => child.name === name) ?? [];
}

/** The trimmed text of a child; empty if it is missing. Not for values that people typed, since those must not be trimmed. */
export function wordIn(node: XmlNode | undefined, name: string): string {
  return childOf(node, name)?.text.trim() ?? '';
}

export function saysTrue(text: string | undefined): boolean {
  return text?.trim().toLowerCase() === 'true';
}
