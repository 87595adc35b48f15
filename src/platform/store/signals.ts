import { sessionOf } from './executor.ts';
import type { Database, Db, SignalListener } from './database.ts';

/** PostgreSQL accepts less than 8000 bytes. A signal only says that something happened; the details are in the rows. */
const maximumPayloadBytes = 7999;
const channelName = /^[a-z][a-z_]{0,39}$/;

function checkChannel(channel: string): string {
  if (!channelName.test(channel)) throw new RangeError('a channel is 1 to 40 lower-case letters and underscores');
  return channel;
}

/**
 * Sends a signal to every process on the store, including this one, once the transaction of `db` is committed; never if it isn't committed.
 * Equal signals of one transaction arrive once. A signal is not kept for processes that don't listen at that time.
 * @param payload text of less than 8000 bytes
 */
export async function notify(db: Db, channel: string, payload: string): Promise<void> {
  checkChannel(channel);
  if (Buffer.byteLength(payload) > maximumPayloadBytes)
    throw new RangeError(`a signal has at most ${maximumPayloadBytes} bytes`);
  await sessionOf(db).notify(channel, payload);
}

/**
 * Hears the signals of a channel until disposed. On PostgreSQL they come from all processes; on the embedded engine from this one, which is
 * the only one. Delivery is at most once: when `onGap` is called, signals may have been lost.
 */
export async function listen(
  database: Database,
  channel: string,
  onSignal: (payload: string) => void,
  onGap?: () => void,
): Promise<AsyncDisposable> {
  return await database.listen(checkChannel(channel), { onSignal, onGap });
}

/** The listeners of each channel in this process. */
export interface Listeners {
  add(channel: string, listener: SignalListener): () => void;
  has(channel: string): boolean;
  channels(): string[];
  signal(channel: string, payload: string): void;
  gap(): void;
}

export function createListeners(): Listeners {
  const byChannel = new Map<string, Set<SignalListener>>();
  return {
    add(channel, listener) {
      const own: SignalListener = { ...listener };
      const listeners = byChannel.get(channel) ?? new Set();
      byChannel.set(channel, listeners.add(own));
      return () => {
        listeners.delete(own);
        if (listeners.size === 0 && byChannel.get(channel) === listeners) byChannel.delete(channel);
      };
    },
    has: (channel) => byChannel.has(channel),
    channels: () => [...byChannel.keys()],
    signal(channel, payload) {
      // Listeners run in a turn of their own: an error in a listener is a bug of its author, and must not look like a failed commit.
      for (const listener of byChannel.get(channel) ?? []) queueMicrotask(() => listener.onSignal(payload));
    },
    gap() {
      for (const listeners of byChannel.values())
        for (const listener of listeners) if (listener.onGap) queueMicrotask(listener.onGap);
    },
  };
}
