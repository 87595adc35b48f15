import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { SignalListener } from '../database.ts';
import type { Listeners } from '../signals.ts';
import { failureOf } from './failure.ts';

/** All programs that use a database share its channels, so ours have a prefix. */
export const channelPrefix = 'conclave_';
const firstWaitMs = 100;
const longestWaitMs = 5_000;

export interface Listener {
  listen(channel: string, entry: SignalListener): Promise<AsyncDisposable>;
  close(): Promise<void>;
}

/**
 * Keeps one connection that listens. The connection is made for the first listener, and made again when it is lost. Listeners are then told
 * of the gap.
 */
export function createListener(createClient: () => Client, listeners: Listeners): Listener {
  const stop = new AbortController();
  let connection: Promise<Client> | undefined;

  async function connect(): Promise<Client> {
    const client = createClient();
    client.on('notification', ({ channel, payload }) => {
      if (channel.startsWith(channelPrefix)) listeners.signal(channel.slice(channelPrefix.length), payload ?? '');
    });
    client.on('error', () => {});
    await client.connect();
    client.once('end', () => void reconnect());
    for (const channel of listeners.channels()) await client.query(`listen ${channelPrefix}${channel}`);
    return client;
  }

  /** Never rejects: retries until the connection is there or the store is closed. */
  async function keepConnecting(): Promise<Client> {
    for (let wait = firstWaitMs; ; wait = Math.min(2 * wait, longestWaitMs)) {
      try {
        await sleep(wait, undefined, { signal: stop.signal, ref: false });
        const client = await connect();
        listeners.gap();
        return client;
      } catch (error) {
        if (stop.signal.aborted) throw error;
      }
    }
  }

  async function reconnect(): Promise<void> {
    if (stop.signal.aborted) return;
    connection = keepConnecting();
    // The connection is aborted when the store is closed, and nobody else waits for it then.
    await connection.catch(() => {});
  }

  async function command(sql: string): Promise<void> {
    if (!connection) {
      connection = connect();
      try {
        await connection;
      } catch (error) {
        connection = undefined;
        throw failureOf(error);
      }
      return;
    }
    try {
      await (await connection).query(sql);
    } catch {
      // The connection is lost. The next one listens to all channels that have listeners at that time.
    }
  }

  return {
    async listen(channel, entry) {
      const isFirst = !listeners.has(channel);
      const remove = listeners.add(channel, entry);
      try {
        if (isFirst || !connection) await command(`listen ${channelPrefix}${channel}`);
        else await connection;
      } catch (error) {
        remove();
        throw error;
      }
      return {
        async [Symbol.asyncDispose]() {
          remove();
          if (!listeners.has(channel) && !stop.signal.aborted) await command(`unlisten ${channelPrefix}${channel}`);
        },
      };
    },
    async close() {
      stop.abort();
      const client = await connection?.catch(() => undefined);
      await client?.end().catch(() => {});
    },
  };
}
