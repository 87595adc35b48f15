import { pathToFileURL } from 'node:url';
import { oneFile } from '../../base/one-file.ts';
import { NO_MEMORY, outOfMemory } from './carrier.ts';
import { failureOf } from './failure.ts';
import type { AskedProcess, Said } from './messages.ts';
import { createCollector, sendInPieces, type Sent } from './pieces.ts';
import { startThread } from './start-thread.ts';
import { newThreadState } from './thread-state.ts';

/**
 * Makes this process do the requested work, in one thread that runs the same program. The thread has the limit of the task, and this one
 * is always free to hear that whoever asked is gone.
 */
export function workApart(): void {
  // A Ctrl-C goes to all processes of a terminal. The one that asked lets its work end, and then closes the channel.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.once('disconnect', () => process.exit());
  const program = oneFile() === undefined ? pathToFileURL(process.argv[1] ?? '') : undefined;
  let thread: ReturnType<typeof startThread> | undefined;
  let saying: Promise<void> = Promise.resolve();
  const send = process.send?.bind(process);

  function say(said: Said): void {
    // Whoever asked may be gone.
    saying = saying
      .then(async () => await sendInPieces(said, (sent, done) => send?.(sent, undefined, undefined, done)))
      .catch(() => undefined);
  }

  function start(memory: number): NonNullable<typeof thread> {
    const started = startThread({ name: 'work', memory, state: newThreadState(), program });
    started.on('message', say);
    started.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === outOfMemory) process.exit(NO_MEMORY);
      say({ failure: failureOf(error) });
    });
    return started;
  }

  const collect = createCollector((message) => {
    const { memory, asked } = message as AskedProcess;
    thread ??= start(memory);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows of a browser
    thread.postMessage(asked);
  });
  process.on('message', (sent) => collect(sent as Sent));
}
