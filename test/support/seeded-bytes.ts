import crypto, { createCipheriv, createHash, webcrypto } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** A stream of bytes that is the same for the same seed and name: AES-256 in counter mode over nothing. */
class Stream {
  readonly #cipher;
  #left = Buffer.alloc(0);

  constructor(seed: number, name: string) {
    const key = createHash('sha256').update(`${seed} ${name}`).digest();
    this.#cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  }

  take(size: number): Buffer {
    if (size > 1024) return this.#cipher.update(Buffer.alloc(size));
    if (this.#left.length < size) this.#left = this.#cipher.update(Buffer.alloc(4096));
    // In memory of its own, as the platform gives it: there are libraries that take the whole of what is behind a buffer.
    const taken = Buffer.alloc(size);
    this.#left.copy(taken, 0, 0, size);
    this.#left = this.#left.subarray(size);
    return taken;
  }

  /** A whole number from 0 to before `limit`, every one equally often. */
  below(limit: number): number {
    for (;;) {
      const number = this.take(6).readUIntBE(0, 6);
      if (number < 2 ** 48 - (2 ** 48 % limit)) return number % limit;
    }
  }
}

/** Bytes of a stream of their own, for what is made once and used by many test files. */
export function bytesOf(seed: number, name: string): (size: number) => Uint8Array {
  const stream = new Stream(seed, name);
  return (size) => new Uint8Array(stream.take(size));
}

/** What of this process is random by the platform's generator, and by the one of tests. */
export interface SeededRandomness {
  /** Begins a stream, for a test file. */
  begin(seed: number, name: string): void;
  /** How often a whole buffer was filled. */
  filled(): number;
  /** Hands back the platform's generator. */
  end(): void;
}

type Done = (error: Error | null, result: unknown) => void;

const known = Symbol.for('conclave.test.seeded-randomness');

/**
 * Puts a stream of bytes made of a seed behind everything that JavaScript draws at random in this process, so that a failed run repeats.
 * Keys that Node generates itself and other processes stay random. A worker runs many files: the stream begins anew with each.
 */
export function seededRandomness(): SeededRandomness {
  const place = globalThis as { [known]?: SeededRandomness };
  return (place[known] ??= install());
}

function install(): SeededRandomness {
  let stream: Stream | undefined;
  let filled = 0;
  const own = crypto as unknown as Record<string, unknown>;
  const web = webcrypto as unknown as Record<string, unknown>;
  const { randomBytes, randomFill, randomFillSync, randomInt, randomUUID } = crypto;
  const platform = { randomBytes, randomFill, randomFillSync, randomInt, randomUUID };
  const { random } = Math;
  const getRandomValues = webcrypto.getRandomValues.bind(webcrypto);

  const fill = <T extends NodeJS.ArrayBufferView>(view: T, offset = 0, size?: number): T => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    const unit = 'BYTES_PER_ELEMENT' in view ? view.BYTES_PER_ELEMENT : 1;
    const from = offset * unit;
    bytes.set(stream!.take(size === undefined ? bytes.length - from : size * unit), from);
    return view;
  };
  const uuid = (): string => {
    const hex = Buffer.from(stream!.take(16));
    hex[6] = (hex[6]! & 0x0f) | 0x40;
    hex[8] = (hex[8]! & 0x3f) | 0x80;
    return hex.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };
  const later = (done: Done, result: unknown): void => void setImmediate(() => done(null, result));

  const seeded = {
    randomBytes(size: number, done?: Done) {
      if (!stream) return done ? randomBytes(size, done) : randomBytes(size);
      // What the platform refuses, it refuses in its own words.
      if (!Number.isInteger(size) || size < 0) return randomBytes(size);
      const bytes = stream.take(size);
      return done ? later(done, bytes) : bytes;
    },
    randomFillSync(view: NodeJS.ArrayBufferView, ...range: [number?, number?]) {
      if (!stream || !ArrayBuffer.isView(view)) return randomFillSync(view, ...range);
      filled += 1;
      return fill(view, ...range);
    },
    randomFill(view: NodeJS.ArrayBufferView, ...rest: unknown[]) {
      if (!stream || !ArrayBuffer.isView(view)) return Reflect.apply(randomFill, crypto, [view, ...rest]);
      const done = rest.pop() as Done;
      return later(done, fill(view, ...(rest as [number?, number?])));
    },
    randomInt(...given: unknown[]) {
      if (!stream) return Reflect.apply(randomInt, crypto, given);
      const done = typeof given.at(-1) === 'function' ? (given.pop() as Done) : undefined;
      const [min, max] = (given.length === 1 ? [0, given[0]] : given) as [number, number];
      if (!(max > min)) return randomInt(min, max);
      const drawn = min + stream.below(max - min);
      return done ? later(done, drawn) : drawn;
    },
    randomUUID(options?: crypto.RandomUUIDOptions) {
      return stream ? uuid() : randomUUID(options);
    },
  };
  const draw = (view: NodeJS.ArrayBufferView): unknown =>
    stream && ArrayBuffer.isView(view) && view.byteLength <= 65_536
      ? fill(view)
      : getRandomValues(view as Uint8Array<ArrayBuffer>);

  Object.assign(own, seeded);
  for (const [name, value] of Object.entries({ getRandomValues: draw, randomUUID: seeded.randomUUID })) {
    Object.defineProperty(web, name, { value, configurable: true, writable: true });
  }
  Math.random = () => (stream ? stream.below(2 ** 48) / 2 ** 48 : random());
  syncBuiltinESMExports();

  return {
    begin(seed, name) {
      stream = new Stream(seed, name);
    },
    filled: () => filled,
    end() {
      stream = undefined;
      Object.assign(own, platform);
      for (const name of ['getRandomValues', 'randomUUID']) Reflect.deleteProperty(web, name);
      Math.random = random;
      syncBuiltinESMExports();
      Reflect.deleteProperty(globalThis, known);
    },
  };
}
