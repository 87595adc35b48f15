import { setImmediate as nextTurn } from 'node:timers/promises';

/** How much a message between processes has, about: it is written and read in one go. */
const PIECE = 256 * 1_024;
/** Values above these are sent by themselves: bytes, or code units of a text, and items of a list. */
const LARGE = 16 * 1_024;
const MANY = 64;

/** From the whole to a value in it. */
type Path = readonly (string | number)[];

/** A value that is left out of the whole, and comes in pieces after it. */
interface Part {
  readonly at: Path;
  readonly kind: 'bytes' | 'text' | 'list';
  /** bytes, code units or items */
  readonly length: number;
}

/** A message without its large values, and in which order these follow. One that has none is a single message. */
interface Whole {
  readonly whole: unknown;
  readonly parts: readonly Part[];
}

export type Sent = Whole | { readonly piece: Uint8Array | string | readonly unknown[] };

type Large = Uint8Array | string | readonly unknown[];

/** Sends a message in pieces. The process does other things between any two of them. */
export async function sendInPieces(
  message: unknown,
  send: (sent: Sent, done: (error: Error | null) => void) => unknown,
): Promise<void> {
  const large: (Part & { readonly value: Large })[] = [];
  const whole = withoutLarge(message, [], large);
  const say = async (sent: Sent) =>
    await new Promise<void>((resolve, reject) => {
      send(sent, (error) => (error === null ? resolve() : reject(error)));
    });
  await say({ whole, parts: large.map(({ at, kind, length }) => ({ at, kind, length })) });
  for (const { value } of large)
    for (let from = 0; from < value.length;) {
      const piece = nextPiece(value, from);
      await say({ piece });
      from += piece.length;
      await nextTurn();
    }
}

/** Puts messages together again. @param heard gets each, with bytes that have memory of their own */
export function createCollector(heard: (message: unknown) => void): (sent: Sent) => void {
  let root: { whole: unknown } = { whole: undefined };
  let waiting: Part[] = [];
  let target: Uint8Array | string | unknown[] = '';
  let got = 0;

  function put({ at }: Part, value: unknown): void {
    const way = ['whole', ...at];
    let holder = root as Record<string | number, unknown>;
    for (const name of way.slice(0, -1)) holder = holder[name] as typeof holder;
    holder[way.at(-1) ?? 'whole'] = value;
  }

  /** A list is put in its place at once, because parts of it may follow. */
  function begin(): void {
    const [part] = waiting;
    got = 0;
    if (part === undefined) return heard(root.whole);
    const { kind, length } = part;
    if (kind === 'text') target = '';
    else put(part, (target = kind === 'bytes' ? new Uint8Array(length) : []));
  }

  return (sent) => {
    if ('parts' in sent) {
      root = { whole: owned(sent.whole) };
      waiting = [...sent.parts];
      begin();
      return;
    }
    const [part] = waiting;
    if (part === undefined) throw new Error('a piece of no message');
    const { piece } = sent;
    if (typeof piece === 'string') target = `${target as string}${piece}`;
    else if (piece instanceof Uint8Array) (target as Uint8Array).set(piece, got);
    else for (const item of piece) (target as unknown[]).push(owned(item));
    got += piece.length;
    if (got < part.length) return;
    if (part.kind === 'text') put(part, target);
    waiting.shift();
    begin();
  };
}

function withoutLarge(value: unknown, at: Path, large: (Part & { readonly value: Large })[]): unknown {
  if (typeof value === 'string' && value.length > LARGE) {
    large.push({ at, kind: 'text', length: value.length, value });
    return '';
  }
  if (value instanceof Uint8Array) {
    if (value.length <= LARGE) return value;
    large.push({ at, kind: 'bytes', length: value.length, value });
    return null;
  }
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    const isLarge = value.length > MANY;
    if (isLarge) large.push({ at, kind: 'list', length: value.length, value: items });
    for (const [index, item] of value.entries())
      items.push(isSimple(item) ? item : withoutLarge(item, [...at, index], large));
    return isLarge ? [] : items;
  }
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      isSimple(item) ? item : withoutLarge(item, [...at, name], large),
    ]),
  );
}

/** Of a list, as many items as make a piece; of text and bytes, a part. */
function nextPiece(value: Large, from: number): Large {
  if (value instanceof Uint8Array) return value.subarray(from, from + PIECE);
  if (typeof value === 'string') return value.slice(from, from + PIECE);
  let weight = 0;
  let to = from;
  while (to < value.length && weight < PIECE) weight += weightOf(value[to++]);
  return value.slice(from, to);
}

function weightOf(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return 16 + value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + weightOf(item), 16);
  return isPlain(value)
    ? Object.entries(value).reduce((sum, [name, item]) => sum + name.length + weightOf(item), 16)
    : 16;
}

function isSimple(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= LARGE : typeof value !== 'object' || value === null;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Bytes come as views of the message that they came with, and their readers may give away their memory: each gets its own. */
function owned(value: unknown): unknown {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  // In place, because nobody else has what just came, and a copy of many small values takes long.
  if (Array.isArray(value) || isPlain(value))
    for (const [name, part] of Object.entries(value))
      if (!isSimple(part)) (value as Record<string, unknown>)[name] = owned(part);
  return value;
}
