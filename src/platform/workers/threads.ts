import { Problem } from '../../base/problem.ts';
import { outOfMemory, type Carrier } from './carrier.ts';
import { errorOf } from './failure.ts';
import type { Said } from './messages.ts';
import { startProcess } from './start-process.ts';
import { startThread } from './start-thread.ts';
import type { Task, Transferable } from '../../service/ports/task.ts';
import { beforeEnd, newThreadState } from './thread-state.ts';

/** How long an idle thread waits for more work before it ends and frees its memory. A process takes ten times as long to start. */
const IDLE_MS = 2_000;
const IDLE_PROCESS_MS = 20_000;

export interface Job {
  readonly input: unknown;
  readonly transfer: readonly Transferable[];
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: never) => void) | undefined;
}

/** The threads of one task, or its processes. The caller limits how many run at the same time. */
export interface Threads extends AsyncDisposable {
  perform(job: Job): Promise<unknown>;
}

type AnyTask = Task<never, unknown>;

interface Thread {
  readonly worker: Carrier;
  readonly gone: boolean;
  /** it has answered, with a result or a Problem, and can take more work */
  readonly free: boolean;
  perform(job: Job): Promise<unknown>;
  /** when no addon works in it */
  end(): Promise<void>;
}

export function threadsOf(task: AnyTask, program: URL | undefined): Threads {
  const all = new Set<Thread>();
  const idle = new Map<Thread, NodeJS.Timeout>();
  const idleMs = task.apart === true ? IDLE_PROCESS_MS : IDLE_MS;

  function take(): Thread {
    for (const [thread, timer] of idle) {
      clearTimeout(timer);
      idle.delete(thread);
      if (thread.gone) continue;
      thread.worker.ref();
      return thread;
    }
    const started = startOne(task, program);
    all.add(started);
    started.worker.once('exit', () => void all.delete(started));
    return started;
  }

  function giveBack(thread: Thread): void {
    // A thread keeps the process alive only while a caller waits for its result.
    thread.worker.unref();
    const tooLong = setTimeout(() => {
      idle.delete(thread);
      void thread.end();
    }, idleMs).unref();
    idle.set(thread, tooLong);
  }

  return {
    async perform(job) {
      job.signal?.throwIfAborted();
      const thread = take();
      try {
        return await thread.perform(job);
      } finally {
        // A thread with aborted work is still busy, and a thread with an unexpected failure may be in an unknown state. Neither is used
        // again.
        if (thread.free) giveBack(thread);
        else await thread.end();
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}

function startOne({ name, memory, apart }: AnyTask, program: URL | undefined): Thread {
  const state = newThreadState();
  const worker: Carrier =
    apart === true ? startProcess({ memory, program }) : startThread({ name, memory, state, program });
  let gone = false;
  let free = true;
  let current: { job: Job; resolve: (output: unknown) => void; reject: (error: unknown) => void } | undefined;

  function fail(error: unknown): void {
    gone = true;
    current?.reject(error);
  }

  worker.on('message', (said: Said) => {
    if ('progress' in said) current?.job.onProgress?.(said.progress as never);
    else {
      free = !('failure' in said) || 'problem' in said.failure;
      if ('failure' in said) current?.reject(errorOf(said.failure));
      else current?.resolve(said.output);
    }
  });
  worker.on('messageerror', fail);
  worker.on('error', (error: NodeJS.ErrnoException) => fail(reasonOf(error, memory)));
  worker.on('exit', () => fail(new Error(`the thread for ${name} ended before it answered`)));

  return {
    worker,
    get gone() {
      return gone;
    },
    get free() {
      return free && !gone;
    },
    async end() {
      await beforeEnd(state, () => gone);
      await worker.terminate();
    },
    async perform(job) {
      const { input, transfer, signal } = job;
      const giveUp = (): void => current?.reject(signal?.reason);
      try {
        return await new Promise((resolve, reject) => {
          current = { job, resolve, reject };
          free = false;
          signal?.addEventListener('abort', giveUp);
          worker.postMessage({ name, input }, transfer);
        });
      } finally {
        current = undefined;
        signal?.removeEventListener('abort', giveUp);
      }
    },
  };
}

function reasonOf(error: NodeJS.ErrnoException, memory: number): Error {
  if (error.code !== outOfMemory) return error;
  const message = `Processing the content needs more than the ${memory} MiB of memory that it may use.`;
  return new Problem('tooLarge', 'PAYLOAD_TOO_LARGE', message, { cause: error });
}
