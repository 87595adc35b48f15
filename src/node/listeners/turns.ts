import type { Socket } from 'node:net';

/** Handles the requests of one connection one by one, in the order in which they are answered anyway. */
export interface Turns {
  /** begins at once, or after all earlier requests are answered and their answers are sent */
  take(begin: () => void): void;
  /** must be called when the current request is answered */
  done(): void;
  /** stops reading from the connection, even if requests are answered meanwhile */
  hold(): void;
  release(): void;
  /** forgets the requests that have not begun */
  clear(): void;
}

/**
 * A client can send many requests before it reads the first answer. While one request waits, nothing more is read from the connection. So a
 * connection costs only the bytes that it has sent already, some 64 KiB, and the work of one request, even if the client goes on sending
 * and reads nothing.
 */
export function turnsOn(socket: Socket): Turns {
  const waiting: (() => void)[] = [];
  let busy = false;
  let held = false;
  // Node may resume the socket by itself, so it is paused again.
  socket.on('resume', () => {
    if (waiting.length > 0 || held) socket.pause();
  });
  return {
    take(begin) {
      if (busy) {
        waiting.push(begin);
        socket.pause();
        return;
      }
      busy = true;
      begin();
    },
    done() {
      // The connection is about to close, so nobody gets these answers.
      if (socket.destroyed) return;
      const next = waiting.shift();
      busy = next !== undefined;
      if (busy && waiting.length === 0 && !held) socket.resume();
      next?.();
    },
    hold() {
      held = true;
      socket.pause();
    },
    release() {
      held = false;
    },
    clear() {
      waiting.length = 0;
    },
  };
}
