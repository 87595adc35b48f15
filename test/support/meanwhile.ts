import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from '../../src/store/database.ts';

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
   * Has the next transaction fail once, at its end, as a commit fails that the disk has no room for: after all that its body did.
   * @returns whether that has happened
   */
  readonly spoil: () => () => boolean;
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
  return {
    store: {
      ...store,
      async transaction(body) {
        await comeFirst();
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
    spoil() {
      spoils += 1;
      return () => spoiled === spoils;
    },
  };
}
