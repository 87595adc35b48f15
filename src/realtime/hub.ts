import type { Actor, Caller } from '../actor.ts';
import type { Clock } from '../context.ts';
import type { Log } from '../log.ts';
import type { Database } from '../store/database.ts';
import { listen, notify } from '../store/signals.ts';
import { allowances } from './allowance.ts';
import { closeCodes, limits } from './close-codes.ts';
import type { RealtimePort } from './port.ts';
import { createRegistry } from './registry.ts';
import { Socket, type Connection } from './socket.ts';
import { createTopics, type Topics } from './topics.ts';

const CHANNEL = 'sessions_ended';
/** Ids of 32 digits with a space between them, in less than 8000 bytes. */
const IDS_PER_SIGNAL = 200;

export interface Hub extends RealtimePort {
  readonly topics: Topics;
  /** signed-in sockets */
  readonly size: number;
  connect(connection: Connection, caller: Caller): Socket;
  /** hears of sessions that ended in other processes, until disposed */
  followOthers(): Promise<AsyncDisposable>;
  closeAll(): void;
}

export interface HubOptions {
  readonly store: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly authenticate: (token: string, caller: Caller) => Promise<Actor>;
}

/** The sockets of this process, and how they hear of what happens in others. */
export function createHub({ store, clock, log, authenticate }: HubOptions): Hub {
  const registry = createRegistry<Socket>();
  const topics = createTopics();
  const sockets = new Set<Socket>();
  const members = allowances(limits.weightPerMember, limits.weightSeconds, clock);

  async function sessionExpiry(sessionId: string): Promise<number | undefined> {
    const row = await store.db
      .selectFrom('sessions')
      .select('expires_at')
      .where('id', '=', sessionId)
      .executeTakeFirst();
    return row?.expires_at;
  }

  function closeSessions(ids: readonly string[]): void {
    for (const id of ids)
      for (const socket of registry.ofSession(id)) socket.close(closeCodes.sessionEnded, 'the session has ended');
  }

  /** Signals were lost: every session that a socket rests on is looked up. */
  async function lookUpSessions(): Promise<void> {
    for (const ids of inParts(registry.sessions(), IDS_PER_SIGNAL)) {
      const rows = await store.db.selectFrom('sessions').select('id').where('id', 'in', ids).execute();
      const alive = new Set(rows.map((row) => row.id));
      closeSessions(ids.filter((id) => !alive.has(id)));
    }
  }

  return {
    topics,
    get size() {
      return registry.size;
    },
    connect(connection, caller) {
      const shared = { registry, sockets, members, topics };
      return new Socket(connection, caller, { authenticate, sessionExpiry, ...shared, clock, log });
    },
    async endSessions(ids) {
      closeSessions(ids);
      if (store.engine !== 'postgres') return;
      for (const part of inParts(ids, IDS_PER_SIGNAL)) await notify(store.db, CHANNEL, part.join(' '));
    },
    async followOthers() {
      return await listen(
        store,
        CHANNEL,
        (payload) => closeSessions(payload.split(' ')),
        () =>
          void lookUpSessions().catch((error: unknown) =>
            log.error('sessions of sockets were not looked up', { error }),
          ),
      );
    },
    closeAll() {
      for (const socket of sockets) socket.close(closeCodes.goingAway, 'the server is stopping');
    },
  };
}

function* inParts<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
