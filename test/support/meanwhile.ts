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
  let spoiled = 0;
  let spoils = 0;
  return {
    store: {
      ...store,
      async transaction(body) {
        const change = waiting;
        waiting = undefined;
        await change?.();
        if (spoiled === spoils) return await store.transaction(body);
        spoiled = spoils;
        return await store.transaction(async (db) => {
          await body(db);
          throw new Error('made by a test');
        });
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
