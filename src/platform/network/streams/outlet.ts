import type { Stream } from '@libp2p/interface';
import type { StreamPriority } from '../../../service/ports/network.ts';

/** The streams that are sent to one peer take turns, piece by piece. */
export interface Outlet {
  enter(stream: Stream, priority: StreamPriority): Lane;
  readonly empty: boolean;
}

export interface Lane extends Disposable {
  /** Hands a piece to the connection when it is its turn. @throws Error when the stream has ended */
  send(bytes: Uint8Array): Promise<void>;
  /** whether the connection has taken everything and can take more */
  isTaken(): boolean;
  /** resolves when that is so. @throws Error when the stream has ended */
  taken(): Promise<void>;
}

interface Turn {
  readonly stream: Stream;
  readonly bytes: Uint8Array;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** After so many interactive pieces in a row, one of the others that wait is sent, so that none stands still. */
const INTERACTIVE_IN_A_ROW = 8;

/** `send` of a stream returns false both when the connection is full and when the window of this stream is. */
function isReady(stream: Stream): boolean {
  return stream.status === 'open' && !stream.writableNeedsDrain && stream.writeBufferLength === 0;
}

/** @param wait milliseconds until so many bytes may leave; 0: they leave now */
export function createOutlet(wait: (bytes: number) => number): Outlet {
  const waiting: Record<StreamPriority, Turn[]> = { interactive: [], bulk: [] };
  let inRow = 0;
  let lanes = 0;
  let timer: NodeJS.Timeout | undefined;

  function next(): { readonly turn: Turn; readonly priority: StreamPriority } | undefined {
    const interactive = waiting.interactive.find(({ stream }) => isReady(stream));
    const bulk = waiting.bulk.find(({ stream }) => isReady(stream));
    if (interactive !== undefined && (bulk === undefined || inRow < INTERACTIVE_IN_A_ROW))
      return { turn: interactive, priority: 'interactive' };
    return bulk === undefined ? undefined : { turn: bulk, priority: 'bulk' };
  }

  /** The turn is decided and used at once: who was ready a moment ago may not be ready any more. */
  function pump(): void {
    if (timer !== undefined) return;
    for (let found = next(); found !== undefined; found = next()) {
      const { turn, priority } = found;
      const waitMs = wait(turn.bytes.length);
      if (waitMs > 0) {
        timer = setTimeout(() => {
          timer = undefined;
          pump();
        }, waitMs);
        return;
      }
      inRow = priority === 'interactive' ? inRow + 1 : 0;
      waiting[priority].splice(waiting[priority].indexOf(turn), 1);
      try {
        turn.stream.send(turn.bytes);
        turn.resolve();
      } catch (error) {
        turn.reject(error as Error);
      }
    }
  }

  return {
    get empty() {
      return lanes === 0;
    },
    enter(stream, priority) {
      lanes += 1;
      let over: Error | undefined;
      let calm: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

      // libp2p continues a full stream in a microtask of its own, which it queues before this one.
      const onMove = (): void => queueMicrotask(settle);
      function settle(): void {
        if (calm !== undefined && isReady(stream)) {
          calm.resolve();
          calm = undefined;
        }
        pump();
      }
      function onClose(): void {
        over ??= new Error('the stream has ended');
        calm?.reject(over);
        calm = undefined;
        for (const turn of waiting[priority].filter((one) => one.stream === stream)) turn.reject(over);
        waiting[priority] = waiting[priority].filter((one) => one.stream !== stream);
      }
      stream.addEventListener('drain', onMove);
      stream.addEventListener('idle', onMove);
      stream.addEventListener('close', onClose);

      return {
        async send(bytes) {
          if (over !== undefined || stream.status !== 'open') throw over ?? new Error('the stream has ended');
          await new Promise<void>((resolve, reject) => {
            waiting[priority].push({ stream, bytes, resolve, reject });
            pump();
          });
        },
        isTaken: () => isReady(stream),
        async taken() {
          if (isReady(stream)) return;
          if (over !== undefined || stream.status !== 'open') throw over ?? new Error('the stream has ended');
          await new Promise<void>((resolve, reject) => (calm = { resolve, reject }));
        },
        [Symbol.dispose]() {
          lanes -= 1;
          stream.removeEventListener('drain', onMove);
          stream.removeEventListener('idle', onMove);
          stream.removeEventListener('close', onClose);
          onClose();
          if (lanes === 0) clearTimeout(timer);
          else pump();
        },
      };
    },
  };
}
