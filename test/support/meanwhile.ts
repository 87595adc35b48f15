import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Db } from '../../src/platform/store/database.ts';

export type Change = () => Promise<unknown>;

/** The store of a house, in whose transactions a test can come first. */
export interface Meanwhile {
  readonly store: Database;
  /**
   * Has `change` happen once, right before the next transaction begins: after what a service prepares and checks outside of it. Whoever
   * began the transaction waits for the change; what `change` itself does isn't held up.
   * @returns whether that has happened
   */
  readonly before: (change: Change) => () => boolean;
  /**
   * Has `change` happen once within the next transaction, after all that its body did and before it is committed. If `change` waits for that
   * transaction, the commit comes first. Only on PostgreSQL do transactions run at once.
   * @returns whether the change came to its end before the commit; undefined until the commit
   */
  readonly within: (change: Change) => () => boolean | undefined;
  /**
   * Has the next transaction fail once, at its end, as a commit fails that the disk has no room for: after all that its body did.
   * @returns whether that has happened
   */
  readonly spoil: () => () => boolean;
}

async function someoneWaits({ db }: Database): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length > 0;
}

export function meanwhile(store: Database): Meanwhile {
  let waiting: Change | undefined;
  let running: Promise<unknown> = Promise.resolve();
  const own = new AsyncLocalStorage<true>();
  /** Whatever begins meanwhile waits too: a transaction in the background may have been the next one. */
  const comeFirst = async (): Promise<void> => {
    if (own.getStore() === true) return;
    const change = waiting;
    if (change === undefined) return void (await running);
    waiting = undefined;
    const changed = own.run(true, change);
    running = changed.catch(() => undefined);
    await changed;
  };
  let spoiled = 0;
  let spoils = 0;
  let overlapping: (() => Promise<void>) | undefined;
  /** Only the first try: a transaction that begins anew is alone. */
  const overlapped = async <T>(body: (db: Db) => Promise<T>, overlap: () => Promise<void>): Promise<T> => {
    let tried = false;
    return await store.transaction(async (db) => {
      const result = await body(db);
      if (!tried) {
        tried = true;
        await overlap();
      }
      return result;
    });
  };
  return {
    store: {
      ...store,
      async transaction(body) {
        await comeFirst();
        const overlap = own.getStore() === true ? undefined : overlapping;
        if (overlap !== undefined) {
          overlapping = undefined;
          return await overlapped(body, overlap);
        }
        if (spoiled === spoils) return await store.transaction(body);
        spoiled = spoils;
        return await store.transaction(async (db) => {
          await body(db);
          throw new Error('made by a test');
        });
      },
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]();
        own.disable();
      },
    },
    before(change) {
      waiting = change;
      return () => waiting !== change;
    },
    within(change) {
      let first: boolean | undefined;
      overlapping = async () => {
        const ended = new AbortController();
        running = own.run(true, change).then(
          () => ended.abort(),
          () => ended.abort(),
        );
        while (!ended.signal.aborted && !(await someoneWaits(store))) await sleep(5);
        first = ended.signal.aborted;
      };
      return () => first;
    },
    spoil() {
      spoils += 1;
      return () => spoiled === spoils;
    },
  };
}
