import { Worker } from 'node:worker_threads';
import type { Slots } from './slots.ts';

/** A thread ends after this time without work. */
const IDLE_MS = 10_000;

/**
 * The program of a thread. It is a string because a separate file would have to survive bundling. It needs only Node. Messages are [job,
 * what, bytes, slots]. `add` encrypts the slots in place, if there are any, and adds the bytes to the hash of the job; `open` decrypts the
 * slots and moves them together. Both answer [job, bytes], where bytes that don't open are undefined. `digest` answers [job, digest] and
 * ends the job, as `close` does without an answer. The bytes come back because a thread that does little else collects its garbage late: it
 * kept 60 MB of them.
 */
const program = `
const { parentPort } = require('node:worker_threads');
const { createCipheriv, createDecipheriv, createHash } = require('node:crypto');
const hashes = new Map();
const each = (bytes, { nonces, from, segmentBytes, tagBytes }, work) => {
  for (let at = from, nonce = 0; at < bytes.length; at += segmentBytes + tagBytes, nonce += 12)
    work(at, Math.min(at + segmentBytes, bytes.length - tagBytes), nonces.subarray(nonce, nonce + 12));
};
const seal = (bytes, slots) => each(bytes, slots, (at, end, nonce) => {
  const cipher = createCipheriv('aes-256-gcm', slots.key, nonce, { authTagLength: slots.tagBytes });
  bytes.set(cipher.update(bytes.subarray(at, end)), at);
  cipher.final();
  bytes.set(cipher.getAuthTag(), end);
});
const open = (bytes, slots) => {
  let length = 0;
  each(bytes, slots, (at, end, nonce) => {
    const decipher = createDecipheriv('aes-256-gcm', slots.key, nonce, { authTagLength: slots.tagBytes });
    decipher.setAuthTag(bytes.subarray(end, end + slots.tagBytes));
    bytes.set(decipher.update(bytes.subarray(at, end)), length);
    decipher.final();
    length += end - at;
  });
  return bytes.subarray(0, length);
};
const opened = (bytes, slots) => {
  try {
    return open(bytes, slots);
  } catch {
    bytes.fill(0);
    return undefined;
  }
};
const hashOf = (job) => {
  const hash = hashes.get(job) ?? createHash('sha3-512');
  hashes.set(job, hash);
  return hash;
};
parentPort.on('message', ([job, what, bytes, slots]) => {
  if (what === 'add') {
    if (slots) seal(bytes, slots);
    hashOf(job).update(bytes);
    parentPort.postMessage([job, bytes], [bytes.buffer]);
  } else if (what === 'open') {
    const plaintext = opened(bytes, slots);
    parentPort.postMessage([job, plaintext], plaintext ? [bytes.buffer] : []);
  } else {
    if (what === 'digest') parentPort.postMessage([job, hashOf(job).digest('hex')]);
    hashes.delete(job);
  }
});
`;

type Bytes = Uint8Array<ArrayBuffer>;
type SlotKeys = Omit<Slots, 'bytes'>;
type Answer = Bytes | string | undefined;

/** What one thread does for one content, in order. Wait for each call before the next. */
export interface ThreadJob {
  /**
   * Adds bytes to the hash. Their memory is transferred, and the promise has it again.
   * @param slots encrypted in place before they are hashed
   */
  add(bytes: Bytes, slots?: SlotKeys): Promise<Bytes>;
  /** Decrypts slots. Their memory is transferred. @returns the plaintext in the same memory; undefined if any was changed */
  open(bytes: Bytes, slots: SlotKeys): Promise<Bytes | undefined>;
  /** 128 hexadecimal digits */
  digest(): Promise<string>;
  /** makes the thread forget a hash that nobody wants any more */
  close(): void;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  /** contents that it has begun */
  readonly jobs: Set<number>;
  ask(job: number, what: 'add' | 'open' | 'digest', bytes?: Bytes, slots?: SlotKeys): Promise<Answer>;
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
        return (await thread().ask(job, 'add', bytes, slots)) as Bytes;
      },
      async open(bytes, slots) {
        return (await thread().ask(job, 'open', bytes, slots)) as Bytes | undefined;
      },
      async digest() {
        const digest = (await thread().ask(job, 'digest')) as string;
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
  // Its garbage is what OpenSSL returns, 16 KiB for each object that V8 counts, and it is collected when so many objects are made.
  const worker = new Worker(program, { eval: true, name: 'blocks', resourceLimits: { maxYoungGenerationSizeMb: 2 } });
  const waiting = new Map<number, Waiting>();
  const jobs = new Set<number>();
  let idle: NodeJS.Timeout | undefined;
  worker.on('message', ([job, answer]: [number, Answer]) => {
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
  let failure: Error | undefined;
  worker.on('error', (error: Error) => {
    gone();
    failure = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });
  return {
    jobs,
    async ask(job, what, bytes, slots) {
      clearTimeout(idle);
      worker.ref();
      return await new Promise((resolve, reject) => {
        if (failure !== undefined) throw failure;
        waiting.set(job, { resolve, reject });
        worker.postMessage([job, what, bytes, slots], bytes === undefined ? [] : [bytes.buffer]);
      });
    },
    forget(job) {
      worker.postMessage([job, 'close'], []);
    },
  };
}
