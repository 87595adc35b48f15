import { Worker } from 'node:worker_threads';
import type { Slots } from './slots.ts';

/** A thread ends after this time without work. */
const IDLE_MS = 10_000;

/**
 * The program of a thread. It is a string because a separate file would have to survive bundling. It needs only Node. Messages: [job, bytes,
 * slots] adds to the hash of a job, after encrypting the slots in place, and the answer is [job, undefined, the same bytes]; [job] ends it,
 * and the answer is [job, digest]; [job, null] ends it without an answer. The bytes come back because a thread that does little else
 * collects its garbage late: it kept 60 MB of them.
 */
const program = `
const { parentPort } = require('node:worker_threads');
const { createCipheriv, createHash } = require('node:crypto');
const hashes = new Map();
const seal = (bytes, { key, nonces, from, segmentBytes, tagBytes }) => {
  for (let at = from, nonce = 0; at < bytes.length; at += segmentBytes + tagBytes, nonce += 12) {
    const end = Math.min(at + segmentBytes, bytes.length - tagBytes);
    const cipher = createCipheriv('aes-256-gcm', key, nonces.subarray(nonce, nonce + 12), { authTagLength: tagBytes });
    bytes.set(cipher.update(bytes.subarray(at, end)), at);
    cipher.final();
    bytes.set(cipher.getAuthTag(), end);
  }
};
parentPort.on('message', ([job, bytes, slots]) => {
  let hash = hashes.get(job);
  if (!hash) hashes.set(job, (hash = createHash('sha3-512')));
  if (bytes) {
    if (slots) seal(bytes, slots);
    hash.update(bytes);
    parentPort.postMessage([job, undefined, bytes], [bytes.buffer]);
    return;
  }
  hashes.delete(job);
  if (bytes === undefined) parentPort.postMessage([job, hash.digest('hex')]);
});
`;

type Bytes = Uint8Array<ArrayBuffer>;

/** What one thread does for one content, in order. Wait for each call before the next. */
export interface ThreadJob {
  /**
   * Adds bytes to the hash. Their memory is transferred, and the promise has it again.
   * @param slots encrypted in place before they are hashed
   */
  add(bytes: Bytes, slots?: Omit<Slots, 'bytes'>): Promise<Bytes>;
  /** 128 hexadecimal digits */
  digest(): Promise<string>;
  /** makes the thread forget a hash that nobody wants any more */
  close(): void;
}

interface Waiting {
  readonly resolve: (answer: [digest?: string, bytes?: Bytes]) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  /** contents that it has begun */
  readonly jobs: Set<number>;
  ask(job: number, message: readonly unknown[], transfer: readonly ArrayBuffer[]): Promise<[string?, Bytes?]>;
  forget(job: number): void;
}

/** Threads that hash, and encrypt what they hash. They start when they are first needed. @param most threads at once */
export function createBlockThreads(most: number): () => ThreadJob {
  const threads = new Set<Thread>();
  let next = 0;

  /** An idle thread, or another one while there may be more, or the one with least to do. */
  function choose(): Thread {
    const [least] = [...threads].toSorted((one, other) => one.jobs.size - other.jobs.size);
    if (least !== undefined && (least.jobs.size === 0 || threads.size === most)) return least;
    const started = startThread(() => threads.delete(started));
    threads.add(started);
    return started;
  }

  return () => {
    const job = (next += 1);
    let mine: Thread | undefined;
    const thread = (): Thread => {
      mine ??= choose();
      mine.jobs.add(job);
      return mine;
    };
    return {
      async add(bytes, slots) {
        const [, back] = await thread().ask(job, [job, bytes, slots], [bytes.buffer]);
        return back ?? bytes;
      },
      async digest() {
        const [digest = ''] = await thread().ask(job, [job], []);
        mine?.jobs.delete(job);
        return digest;
      },
      close() {
        if (mine?.jobs.delete(job) === true) mine.forget(job);
      },
    };
  };
}

function startThread(gone: () => void): Thread {
  const worker = new Worker(program, { eval: true, name: 'blocks' });
  const waiting = new Map<number, Waiting>();
  const jobs = new Set<number>();
  let idle: NodeJS.Timeout | undefined;
  worker.on('message', ([job, ...answer]: [number, string?, Bytes?]) => {
    waiting.get(job)?.resolve(answer);
    waiting.delete(job);
    if (waiting.size > 0) return;
    // The thread must not keep the process alive, except while somebody waits for it.
    worker.unref();
    idle = setTimeout(() => {
      // A content may take long to come. Its hash is nowhere else.
      if (jobs.size > 0) {
        idle?.refresh();
        return;
      }
      gone();
      void worker.terminate();
    }, IDLE_MS).unref();
  });
  let failure: unknown;
  worker.on('error', (error) => {
    gone();
    failure = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });
  return {
    jobs,
    async ask(job, message, transfer) {
      clearTimeout(idle);
      worker.ref();
      return await new Promise((resolve, reject) => {
        if (failure !== undefined) throw failure;
        waiting.set(job, { resolve, reject });
        worker.postMessage(message, transfer);
      });
    },
    forget(job) {
      worker.postMessage([job, null]);
    },
  };
}
