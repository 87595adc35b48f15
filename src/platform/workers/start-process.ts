import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { oneFile } from '../../base/one-file.ts';
import { Problem } from '../../base/problem.ts';
import { NO_MEMORY, outOfMemory, type Carrier } from './carrier.ts';
import type { AskedProcess } from './messages.ts';
import { createCollector, sendInPieces, type Sent } from './pieces.ts';
import { isSource, ownThreads, type ThreadOptions } from './start-thread.ts';

/** The word with which the program in one file is told that it is such a process; bin/one-file.js knows it. */
const workProcess = '--work-process';

/** How V8 ends a process in which one allocation failed, and how a system does that has no memory left. */
const fatal: ReadonlySet<NodeJS.Signals> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGBUS', 'SIGKILL']);
const { SIGABRT, SIGTRAP } = constants.signals;
/** The last two are V8's own end, where no signal is told. */
const fatalCodes: ReadonlySet<number | null> = new Set([NO_MEMORY, 128 + SIGABRT, 128 + SIGTRAP]);

/**
 * A process that does the work in a thread of its own, one piece after the other. Whatever happens to its memory, this process goes on: in
 * a thread, one large allocation that fails ends the whole process, whatever limits the thread has.
 */
export function startProcess({ memory, program }: Pick<ThreadOptions, 'memory' | 'program'>): Carrier {
  const { words, env } = commandOf(program);
  const child = spawn(process.execPath, words, {
    env,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    windowsHide: true,
  });
  const events = new EventEmitter();
  /** whether this process ends it, which looks as if the system did */
  let wanted = false;
  const fail = (error: unknown): unknown => events.emit('error', error);
  const collect = createCollector((said) => events.emit('message', said));
  child.on('message', (sent) => collect(sent as Sent));
  child.on('error', (error) => {
    fail(notStarted(child, error));
    // Nothing else is said of a process that never was.
    if (child.pid === undefined) events.emit('exit');
  });
  child.once('exit', (code, signal) => {
    if (!wanted && (fatalCodes.has(code) || (signal !== null && fatal.has(signal))))
      fail(Object.assign(new Error('the process ran out of memory'), { code: outOfMemory }));
    events.emit('exit');
  });
  return {
    on: (event: string, listener: (value: never) => void) => events.on(event, listener as () => void),
    once: (event: string, listener: () => void) => events.once(event, listener),
    postMessage: (asked) =>
      void sendInPieces({ memory, asked } satisfies AskedProcess, (sent, done) => child.send(sent, done)).catch(fail),
    ref: () => held(child, 'ref'),
    unref: () => held(child, 'unref'),
    async terminate() {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      const gone = once(child, 'exit');
      wanted = true;
      // As a Worker does: who waits for the end must not end before it.
      held(child, 'ref');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** Where there is a program in one file, that is the program of the process too. */
function commandOf(program: URL | undefined): { words: readonly string[]; env: NodeJS.ProcessEnv } {
  const own = program === undefined ? oneFile() : undefined;
  if (own !== undefined) return { words: [workProcess], env: own.thread().env };
  const file = program ?? ownThreads();
  if (!isSource(file)) return { words: ['--', fileURLToPath(file)], env: {} };
  const compiler = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return { words: ['--import', compiler, '--', fileURLToPath(file)], env: { TMPDIR: tmpdir() } };
}

function held(child: ChildProcess, how: 'ref' | 'unref'): void {
  child[how]();
  child.channel?.[how]();
}

/** A system without room for one more process has too much to do. */
function notStarted(child: ChildProcess, error: Error): Error {
  if (child.pid !== undefined) return error;
  const message = 'The server could not start a process for the content. Try again in a few seconds.';
  return new Problem('unavailable', 'OVERLOADED', message, { retryAfterSeconds: 5, cause: error });
}
