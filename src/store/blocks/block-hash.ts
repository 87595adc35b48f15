import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';

/** Content up to this size is hashed in place, in about a quarter of a millisecond. Asking a thread would take longer. */
const inlineBytes = 64 * 1024;
/** The thread ends after this time without work. */
const idleMs = 10_000;

/**
 * The thread's program. It is a string because a separate file would have to survive bundling. It needs only Node. Messages: [job, bytes]
 * adds to the hash of a job, and the answer is [job, undefined, the same bytes]; [job] ends it, and the answer is [job, digest]. The bytes
 * come back because a thread that does little else collects its garbage late: it kept 60 MB of them.
 */
const program = `
const { parentPort } = require('node:worker_threads');
const { createHash } = require('node:crypto');
const hashes = new Map();
parentPort.on('message', ([job, bytes]) => {
  let hash = hashes.get(job);
  if (!hash) hashes.set(job, (hash = createHash('sha3-512')));
  if (bytes) hash.update(bytes);
  else hashes.delete(job);
  if (bytes) parentPort.postMessage([job, undefined, bytes], [bytes.buffer]);
  else parentPort.postMessage([job, hash.digest('hex')]);
});
`;

/** SHA3-512 (FIPS 202) of content that comes in pieces. Wait for each `update` before the next. */
export interface BlockHash {
  update(bytes: Uint8Array): Promise<void>;
  /** 128 hexadecimal digits */
  digest(): Promise<string>;
}

interface Waiting {
  readonly resolve: (digest: string | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** SHA3-512 takes 4 ms a mebibyte, so a separate thread computes it. The thread starts when it is first needed. */
export function createHasher(): () => BlockHash {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let nextJob = 0;
  /** memory that the thread gave back, for the next copy */
  let spare: Uint8Array<ArrayBuffer> | undefined;
  const waiting = new Map<number, Waiting>();

  function fail(error: unknown): void {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  function start(): Worker {
    const started = new Worker(program, { eval: true, name: 'block-hash' });
    started.on('message', ([job, digest, bytes]: [number, string?, Uint8Array<ArrayBuffer>?]) => {
      spare = bytes ?? spare;
      waiting.get(job)?.resolve(digest);
      waiting.delete(job);
      if (waiting.size > 0) return;
      // The thread must not keep the process alive, except while somebody waits for it.
      started.unref();
      idle = setTimeout(() => {
        worker = undefined;
        spare = undefined;
        void started.terminate();
      }, idleMs).unref();
    });
    started.on('error', fail);
    return started;
  }

  function copied(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const room = spare !== undefined && spare.buffer.byteLength >= bytes.length ? spare.buffer : undefined;
    spare = undefined;
    const copy = new Uint8Array(room ?? new ArrayBuffer(bytes.length), 0, bytes.length);
    copy.set(bytes);
    return copy;
  }

  function post(job: number, bytes?: Uint8Array): Promise<string | undefined> {
    clearTimeout(idle);
    const thread = (worker ??= start());
    thread.ref();
    return new Promise((resolve, reject) => {
      waiting.set(job, { resolve, reject });
      // A copy is transferred: sending a view would send the whole buffer behind it with every piece.
      const piece = bytes && copied(bytes);
      thread.postMessage([job, piece], piece ? [piece.buffer] : []);
    });
  }

  return () => {
    const job = (nextJob += 1);
    let small: Uint8Array[] | undefined = [];
    let size = 0;
    return {
      async update(bytes) {
        size += bytes.length;
        if (small && size <= inlineBytes) {
          // The hasher keeps a copy because the caller may use its buffer again.
          small.push(Uint8Array.from(bytes));
          return;
        }
        for (const piece of small ?? []) await post(job, piece);
        small = undefined;
        await post(job, bytes);
      },
      async digest() {
        if (!small) return (await post(job)) ?? '';
        const hash = createHash('sha3-512');
        for (const piece of small) hash.update(piece);
        return hash.digest('hex');
      },
    };
  };
}
