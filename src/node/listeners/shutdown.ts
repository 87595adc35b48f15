import { constants } from 'node:os';

export interface ShutdownSignal extends Disposable {
  readonly signal: AbortSignal;
}

/** npm passes on a Ctrl-C that the terminal has already sent to all processes. So two signals at the same time count as one. */
const ONE_KEY_PRESS_MS = 100;

/**
 * Aborts at SIGINT or SIGTERM. A second Ctrl-C ends the process at once (exit code 130). SIGUSR1 is ignored until disposed: without a
 * listener, Node opens its inspector at SIGUSR1, and any program of the same user can read keys there. A closed output
 * (`conclave serve | head -1`) is ignored too, because a server that ends because of it would not close its store.
 *
 * @param beforeExit runs before the second Ctrl-C ends the process, for example to write buffered output
 */
export function shutdownSignal(beforeExit?: () => void): ShutdownSignal {
  const controller = new AbortController();
  let first = 0;

  function stop(name: NodeJS.Signals): void {
    if (!controller.signal.aborted) {
      first = performance.now();
      controller.abort(name);
    } else if (name === 'SIGINT' && performance.now() - first > ONE_KEY_PRESS_MS) {
      beforeExit?.();
      process.exit(128 + constants.signals.SIGINT);
    }
  }
  const ignore = () => undefined;

  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGUSR1', ignore);
  process.stdout.on('error', ignoreClosed);
  // The server must not stop because the disk has no space for the log.
  process.stderr.on('error', ignore);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off('SIGINT', stop).off('SIGTERM', stop).off('SIGUSR1', ignore);
      process.stdout.off('error', ignoreClosed);
      process.stderr.off('error', ignore);
    },
  };
}

function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
