import { Worker } from 'node:worker_threads';
import type { Slots } from './slots.ts';
import { threadProgram } from './thread-program.ts';

/** A thread ends after this time without work. */
const IDLE_MS = 10_000;

type Bytes = Uint8Array<ArrayBuffer>;

/** What a thread needs to encrypt a content to a file. */
export interface SealingTask {
  /** descriptor of the file, open for writing. It may be closed when every call of the job has been answered. */
  readonly fd: number;
  /** bytes of the file before the first segment; they belong to the hash */
  readonly header: Uint8Array;
  /** 32 bytes, for AES-256-GCM */
  readonly key: Uint8Array;
  readonly segmentBytes: number;
  readonly tagBytes: number;
  /** algorithms whose digests of the plaintext are wanted, as node:crypto names them */
  readonly checksums: readonly string[];
}

/** Bytes of an open file. */
export interface FilePlace {
  readonly fd: number;
  readonly start: number;
  readonly end: number;
}

/** A content that was encrypted to a file. */
export interface SealedFile {
  /** SHA3-512 of the file, 128 hexadecimal digits */
  readonly id: string;
  /** bytes of the file */
  readonly size: number;
  /** of the plaintext, in the order of the task */
  readonly checksums: readonly Uint8Array[];
}

/**
 * What one thread does for one content, in the order of the calls. Every promise is rejected when the thread dies; those of `begin`, `seal`
 * and `end` also with the error of the disk, which has its `code`.
 */
export interface ThreadJob {
  /** Adds bytes to the hash. Their memory is transferred, and the promise has it again. */
  add(bytes: Bytes): Promise<Bytes>;
  /**
   * Reads slots and decrypts them. The file may be closed when it is answered. Rejected with the error of the disk, which has its `code`.
   * @returns the plaintext, alone in its memory; undefined if any slot was changed or is not there
   */
  open(place: FilePlace, slots: Slots): Promise<Bytes | undefined>;
  /** 128 hexadecimal digits */
  digest(): Promise<string>;
  begin(task: SealingTask): Promise<void>;
  /**
   * Encrypts the next pieces of the content of `begin`. Each piece is alone in its memory, which is transferred and doesn't come back.
   * @param nonces 12 bytes for each segment whose first byte is among them
   */
  seal(pieces: readonly Bytes[], nonces: Uint8Array): Promise<void>;
  /** Ends the last segment. @param nonce of it, if none of its bytes came */
  end(nonce: Uint8Array | undefined): Promise<SealedFile>;
  /** makes the thread forget what nobody wants any more */
  close(): void;
}

type Ask = Exclude<keyof ThreadJob, 'close'>;
/** what the thread says of an error */
type Failure = Pick<NodeJS.ErrnoException, 'message' | 'code' | 'syscall' | 'errno'>;

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  /** contents that it has begun */
  readonly jobs: Set<number>;
  ask(what: Ask, job: number, parameters: readonly unknown[], transferred?: readonly Bytes[]): Promise<unknown>;
  forget(job: number): void;
}

/** Threads that hash, encrypt and write. They start when they are first needed. @param most threads at once */
export function createBlockThreads(most: number, program = threadProgram): () => ThreadJob {
  const threads = new Set<Thread>();
  let next = 0;

  /** An idle thread, or another one while there may be more, or the one with least to do. */
  function choose(): Thread {
    const [least] = [...threads].toSorted((one, other) => one.jobs.size - other.jobs.size);
    if (least !== undefined && (least.jobs.size === 0 || threads.size === most)) return least;
    const started = startThread(program, () => threads.delete(started));
    threads.add(started);
    return started;
  }

  return () => {
    const job = (next += 1);
    let mine: Thread | undefined;
    const ask = async (what: Ask, parameters: readonly unknown[], transferred?: readonly Bytes[]): Promise<unknown> => {
      mine ??= choose();
      mine.jobs.add(job);
      return await mine.ask(what, job, parameters, transferred);
    };
    return {
      add: async (bytes) => (await ask('add', [bytes], [bytes])) as Bytes,
      open: async (place, slots) => (await ask('open', [place, slots])) as Bytes | undefined,
      async digest() {
        const digest = (await ask('digest', [])) as string;
        mine?.jobs.delete(job);
        return digest;
      },
      begin: async (task) => void (await ask('begin', [task])),
      seal: async (pieces, nonces) => void (await ask('seal', [pieces, nonces], pieces)),
      async end(nonce) {
        const sealed = (await ask('end', [nonce])) as SealedFile;
        mine?.jobs.delete(job);
        return sealed;
      },
      close() {
        if (mine?.jobs.delete(job) === true) mine.forget(job);
      },
    };
  };
}

function startThread(program: string, gone: () => void): Thread {
  // Its garbage is what OpenSSL returns, 16 KiB for each object that V8 counts, and it is collected when so many objects are made.
  const worker = new Worker(program, {
    eval: true,
    name: 'blocks',
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
  /** in the order of the questions, which is that of the answers */
  const waiting: Waiting[] = [];
  const jobs = new Set<number>();
  let idle: NodeJS.Timeout | undefined;
  worker.on('message', ([answer, failed]: [unknown, Failure | undefined]) => {
    const asker = waiting.shift();
    if (failed === undefined) asker?.resolve(answer);
    else asker?.reject(Object.assign(new Error(failed.message), failed));
    if (waiting.length > 0) return;
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
  const fail = (error: Error): void => {
    gone();
    failure ??= error;
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  worker.on('error', fail).on('exit', () => fail(new Error('the thread of blocks has ended')));
  return {
    jobs,
    async ask(what, job, parameters, transferred = []) {
      if (failure !== undefined) throw failure;
      worker.postMessage(
        [what, job, ...parameters],
        transferred.map(({ buffer }) => buffer),
      );
      clearTimeout(idle);
      worker.ref();
      return await new Promise((resolve, reject) => void waiting.push({ resolve, reject }));
    },
    forget(job) {
      worker.postMessage(['close', job], []);
    },
  };
}
