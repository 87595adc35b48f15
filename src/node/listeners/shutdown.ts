import { constants } from 'node:os';

export interface ShutdownSignal extends Disposable {
  readonly signal: AbortSignal;
  /** Calls the listener at each SIGHUP, also for one that came before. @returns a function that ends this */
  readonly onReload: (listener: () => void) => () => void;
}

/** npm passes on a Ctrl-C that the terminal has already sent to all processes. So two signals at the same time count as one. */
const ONE_KEY_PRESS_MS = 100;

/**
 * Aborts at SIGINT or SIGTERM. SIGHUP asks for the configuration to be read again, as service managers and certbot's hooks send it; from a
 * terminal, it says that the terminal is gone, and aborts too. A second Ctrl-C ends the process at once (exit code 130). SIGUSR1 is ignored until disposed: without a
 * listener, Node opens its inspector at SIGUSR1, and any program of the same user can read keys there. A closed output
 * (`conclave serve | head -1`) is ignored too, because a server that ends because of it would not close its store.
 *
 * @param beforeExit runs before the second Ctrl-C ends the process, for example to write buffered output
 */
export function shutdownSignal(beforeExit?: () => void, { inTerminal = isInTerminal() } = {}): ShutdownSignal {
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
  const reload: { wanted: boolean; listener: (() => void) | undefined } = { wanted: false, listener: undefined };
  function hangUp(name: NodeJS.Signals): void {
    if (inTerminal) stop(name);
    else if (reload.listener === undefined) reload.wanted = true;
    else reload.listener();
  }

  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', hangUp).on('SIGUSR1', ignore);
  process.stdout.on('error', ignoreClosed);
  // The server must not stop because the disk has no space for the log.
  process.stderr.on('error', ignore);
  return {
    signal: controller.signal,
    onReload(listener) {
      reload.listener = listener;
      if (reload.wanted) listener();
      reload.wanted = false;
      return () => void (reload.listener = ignore);
    },
    [Symbol.dispose]() {
      process.off('SIGINT', stop).off('SIGTERM', stop).off('SIGHUP', hangUp).off('SIGUSR1', ignore);
      process.stdout.off('error', ignoreClosed);
      process.stderr.off('error', ignore);
    },
  };
}

/** On Windows, SIGHUP says that the window of the console is closed. */
function isInTerminal(): boolean {
  return process.stdin.isTTY || process.platform === 'win32';
}

function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
