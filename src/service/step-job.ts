import type { JobHandler } from '../platform/store/jobs/jobs.ts';
import { transaction, type Context } from './context.ts';
import { isOfNode } from './sweep.ts';

/** After so many tries of a step, its items are done one by one, and after as many of one of them that one is left out. */
const TRIES = 3;

/** So many of the next items are done one by one. */
interface Alone {
  readonly alone?: number;
}

export interface Steps<Payload extends object, Item> {
  /** names what is done with an item, in the log */
  readonly what: string;
  /** items of one transaction; other requests get their turn between two of them */
  readonly most: number;
  next(tx: Context, payload: Payload, most: number): Promise<readonly Item[]>;
  /** @param items at least one */
  work(tx: Context, items: readonly Item[], payload: Payload): Promise<void>;
  /** what is left after an item; `next` finds it */
  after(payload: Payload, last: Item): Payload;
  /** plans the same job anew, under the same id */
  plan(tx: Context, payload: Payload): Promise<void>;
}

/**
 * A job that goes through many items, some in each transaction, which does them, ends the job and plans the next step: each item is done
 * exactly once. One that always fails is left out, and the log says so.
 */
export function stepJob<Payload extends object, Item>(ctx: Context, steps: Steps<Payload, Item>): JobHandler {
  return async (given, { attempt, finish }) => {
    const { alone = 0, ...rest } = given as Payload & Alone;
    const payload = rest as unknown as Payload;
    const most = alone > 0 ? 1 : steps.most;
    const step = async (work: (tx: Context, items: readonly Item[]) => Promise<void>): Promise<void> =>
      await transaction(ctx, async (tx) => {
        await finish(tx.db);
        const items = await steps.next(tx, payload, most);
        const last = items.at(-1);
        if (last === undefined) return;
        await work(tx, items);
        if (items.length < most) return;
        await steps.plan(tx, { ...steps.after(payload, last), ...(alone > 1 && { alone: alone - 1 }) });
      });
    try {
      await step(async (tx, items) => await steps.work(tx, items, payload));
    } catch (error) {
      if (attempt < TRIES || isOfNode(error)) throw error;
      if (most === 1) {
        await step(async (_, items) => ctx.log.error(`${steps.what} failed; the others go on`, { error, items }));
        return;
      }
      await transaction(ctx, async (tx) => {
        await finish(tx.db);
        await steps.plan(tx, { ...payload, alone: steps.most });
      });
    }
  };
}
