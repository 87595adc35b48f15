import { setImmediate as nextTurn } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
import { Problem } from '../../../base/problem.ts';
import { nameOf } from './names.ts';

export interface XmlElement {
  /** as names.ts has it */
  readonly name: string;
  /** those without a prefix */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** of the element itself, without that of its children */
  readonly text: string;
}

/** Bytes of XML in a request. */
export const XML_BYTES = 1024 ** 2;
/** Elements in each other. No request of a program has more than 12. */
const DEPTH = 32;
/** Elements in all. A request names up to some thousand resources. */
const ELEMENTS = 20_000;
const ATTRIBUTES = 32;
const CHUNK = 32 * 1024;

/** The parser's own message quotes the text, so it goes nowhere. */
class NotXml extends Error {}

interface Open {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/**
 * Reads XML without a document type, so without entities but the five that all XML has. Nothing outside of it is ever asked for.
 *
 * @returns undefined for no text at all
 * @throws Problem invalid VALIDATION_ERROR
 */
export async function readXml(bytes: Uint8Array): Promise<XmlElement | undefined> {
  const text = decoded(bytes);
  if (text.trim() === '') return undefined;
  const parser = new SaxesParser({ xmlns: true, position: false });
  const root: { element?: XmlElement } = {};
  listen(parser, root);
  try {
    for (let at = 0; at < text.length; at += CHUNK) {
      // A megabyte takes tens of milliseconds.
      if (at > 0) await nextTurn();
      parser.write(text.slice(at, at + CHUNK));
    }
    parser.close();
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (error instanceof NotXml) throw unreadable('The body is not well-formed XML.');
    throw error;
  }
  if (root.element === undefined) throw unreadable('The body is not well-formed XML.');
  return root.element;
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unreadable('The XML must be UTF-8.');
  }
}

function listen(parser: SaxesParser<{ xmlns: true; position: false }>, root: { element?: XmlElement }): void {
  const stack: Open[] = [];
  let elements = 0;
  parser.on('doctype', () => {
    throw unreadable('The XML must have no document type declaration.');
  });
  parser.on('error', () => {
    throw new NotXml();
  });
  let attributes = 0;
  parser.on('opentagstart', () => {
    attributes = 0;
    elements += 1;
    if (stack.length >= DEPTH) throw unreadable(`The XML must be nested at most ${DEPTH} levels deep.`);
    if (elements > ELEMENTS) throw unreadable(`The XML must have at most ${ELEMENTS} elements.`);
  });
  parser.on('attribute', () => {
    attributes += 1;
    if (attributes > ATTRIBUTES) throw unreadable(`An element must have at most ${ATTRIBUTES} attributes.`);
  });
  parser.on('opentag', ({ uri, local, attributes: given }) => {
    const plain = Object.values(given).filter((one) => one.prefix === '');
    const named = Object.fromEntries(plain.map((one) => [one.local, one.value]));
    stack.push({ name: nameOf(uri, local), attributes: named, children: [], text: '' });
  });
  const add = (text: string): void => {
    const around = stack.at(-1);
    if (around !== undefined) around.text += text;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => {
    const closed = stack.pop();
    if (closed === undefined) return;
    const around = stack.at(-1);
    if (around === undefined) root.element = closed;
    else around.children.push(closed);
  });
}

/** @throws never; the error of what cannot be read */
export function unreadable(message: string): Problem {
  return new Problem('invalid', 'VALIDATION_ERROR', message);
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The trimmed text of a child; undefined without one. */
export function textIn(element: XmlElement | undefined, name: string): string | undefined {
  return childOf(element, name)?.text.trim();
}
