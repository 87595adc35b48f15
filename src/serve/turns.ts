import type { Socket } from 'node:net';

/** The requests of one connection, worked on one after the other, in the order in which they are answered anyway. */
export interface Turns {
  /** begins at once, or when those before are answered and the answers are out */
  take(begin: () => void): void;
  /** the request whose turn it was is answered */
  done(): void;
  /** lets nothing be read, whatever is answered meanwhile */
  hold(): void;
  release(): void;
  /** forgets those that have not begun */
  clear(): void;
}

/**
 * A client can send many requests before it reads the first answer. Nothing more is read from it while one waits: so it costs what it has
 * sent already, some 64 KiB, and one request's work, however much it goes on sending and however little it reads.
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
