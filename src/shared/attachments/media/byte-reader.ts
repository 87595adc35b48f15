import { Problem } from '../../../base/problem.ts';

/** Reads a body piece by piece, however it is cut. What is passed on stays a view of what came. */
export interface ByteReader {
  /** Whether nothing is left. */
  isAtEnd(): Promise<boolean>;
  /** The next bytes without taking them; fewer at the end. */
  peek(count: number): Promise<Buffer>;
  /** @returns exactly so many bytes, copied. @throws Problem invalid MEDIA_DAMAGED if there are fewer */
  read(count: number): Promise<Buffer<ArrayBuffer>>;
  /** Yields exactly so many bytes, as they come. @throws Problem invalid MEDIA_DAMAGED */
  pass(count: number): AsyncGenerator<Uint8Array>;
  /** Takes so many bytes and yields as many zeros. @throws Problem invalid MEDIA_DAMAGED */
  blank(count: number): AsyncGenerator<Uint8Array>;
  /** Yields what is left. */
  rest(): AsyncGenerator<Uint8Array>;
}

const ZEROS = 64 * 1024;

export function byteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const pieces = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);

  /** Holds the next piece. Nothing must be held before. */
  async function more(): Promise<boolean> {
    const next = await pieces.next();
    if (next.done === true) return false;
    const { buffer, byteOffset, length } = next.value;
    held = Buffer.from(buffer, byteOffset, length);
    return true;
  }

  async function* pass(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0;) {
      if (held.length === 0 && !(await more())) throw cutOff();
      const piece = held.subarray(0, left);
      held = held.subarray(piece.length);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }

  async function peek(count: number): Promise<Buffer> {
    // Joined once, however small the pieces are.
    const parts = [held];
    let length = held.length;
    held = Buffer.alloc(0);
    while (length < count && (await more())) {
      parts.push(held);
      length += held.length;
      held = Buffer.alloc(0);
    }
    held = parts.length === 1 ? (parts[0] ?? held) : Buffer.concat(parts);
    return held.subarray(0, count);
  }

  return {
    pass,
    peek,
    async isAtEnd() {
      while (held.length === 0) if (!(await more())) return true;
      return false;
    },
    async read(count) {
      if (held.length >= count) {
        const bytes = Buffer.from(held.subarray(0, count));
        held = held.subarray(count);
        return bytes;
      }
      // What is announced isn't allocated before it is there.
      const parts: Uint8Array[] = [];
      for await (const piece of pass(count)) parts.push(piece);
      return Buffer.concat(parts);
    },
    async *blank(count) {
      const zeros = new Uint8Array(Math.min(count, ZEROS));
      for await (const piece of pass(count))
        for (let at = 0; at < piece.length; at += zeros.length) yield zeros.subarray(0, piece.length - at);
    },
    async *rest() {
      do {
        const piece = held;
        held = Buffer.alloc(0);
        if (piece.length > 0) yield piece;
      } while (await more());
    },
  };
}

export function damagedMedia(why: string): Problem {
  return new Problem('invalid', 'MEDIA_DAMAGED', `The file is damaged: ${why}.`);
}

function cutOff(): Problem {
  return damagedMedia('it breaks off');
}
