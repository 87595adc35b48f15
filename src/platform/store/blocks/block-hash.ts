import { createHash } from 'node:crypto';
import { createBlockThreads } from './block-threads.ts';

/** Content up to this size is hashed in place, in about a quarter of a millisecond. Asking a thread would take longer. */
const inlineBytes = 64 * 1024;
/** Pieces of memory that are kept for the next content. */
const MOST_SPARE = 8;
const LEAST_SPARE_BYTES = 256 * 1024;

/** SHA3-512 (FIPS 202) of content that comes in pieces. Wait for each `update` before the next. */
export interface BlockHash {
  update(bytes: Uint8Array): Promise<void>;
  /** 128 hexadecimal digits */
  digest(): Promise<string>;
  /** for content that nobody wants the hash of any more */
  close(): void;
}

/** SHA3-512 takes 4 ms a mebibyte, so separate threads compute it. */
export function createHasher(startJob = createBlockThreads(1)): () => BlockHash {
  /** memory that threads gave back, for the next copies */
  const spare: ArrayBuffer[] = [];

  function memory(bytes: number): ArrayBuffer {
    const at = spare.findIndex(({ byteLength }) => byteLength >= bytes);
    const [room] = at < 0 ? [] : spare.splice(at, 1);
    return room ?? new ArrayBuffer(Math.max(bytes, LEAST_SPARE_BYTES));
  }

  function giveBack({ buffer }: Uint8Array<ArrayBuffer>): void {
    if (spare.length < MOST_SPARE) spare.push(buffer);
  }

  return () => {
    const job = startJob();
    let small: Uint8Array[] | undefined = [];
    let size = 0;

    async function add(bytes: Uint8Array): Promise<void> {
      // A copy is transferred: sending a view would send the whole buffer behind it with every piece.
      const copy = new Uint8Array(memory(bytes.length), 0, bytes.length);
      copy.set(bytes);
      giveBack(await job.add(copy));
    }

    return {
      async update(bytes) {
        size += bytes.length;
        if (small && size <= inlineBytes) {
          // The hasher keeps a copy because the caller may use its buffer again.
          small.push(Uint8Array.from(bytes));
          return;
        }
        for (const piece of small ?? []) await add(piece);
        small = undefined;
        await add(bytes);
      },
      async digest() {
        if (!small) return await job.digest();
        const hash = createHash('sha3-512');
        for (const piece of small) hash.update(piece);
        return hash.digest('hex');
      },
      close: () => job.close(),
    };
  };
}
