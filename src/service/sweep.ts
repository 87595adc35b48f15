import { Problem, type ProblemKind } from '../base/problem.ts';
import { transaction, type Context } from './context.ts';

/** The node can't work at the moment, and would fail with everything else. */
const ofNode: ReadonlySet<ProblemKind> = new Set(['unavailable', 'full']);
/** So many that fail are not the fault of each. */
const MOST_FAILED = 100;

/** Whether an error says something of the node, and nothing of what it was thrown for. */
export function isOfNode(error: unknown): boolean {
  return error instanceof Problem && ofNode.has(error.kind);
}

export interface Sweep {
  /** names what is done, in the log */
  readonly what: string;
  /** how many a transaction does */
  readonly most: number;
  /**
   * Does the next ones in a transaction, always in the same order, and without those that failed before. If it finds fewer than `most`, it is
   * the last one.
   */
  step(this: void, tx: Context, next: SweepStep): Promise<void>;
}

export interface SweepStep {
  readonly most: number;
  /** never empty, because SQL has no empty list */
  readonly without: readonly string[];
  /** is told what they are before anything is done with them */
  found(this: void, ids: readonly string[]): void;
}

/**
 * Goes through rows, some in each transaction, until none is left. Where a transaction fails, each of its rows has one of its own, and one
 * that fails alone is left out, so that it doesn't stop those behind it.
 *
 * @throws the first of the failures, at the end: whoever called it tries again later, and says what is wrong
 */
export async function sweep(ctx: Context, { what, most, step }: Sweep): Promise<void> {
  const failures: unknown[] = [];
  const without = [''];
  for (let alone = 0; ;) {
    let ids: readonly string[] = [];
    const size = alone > 0 ? 1 : most;
    try {
      await transaction(ctx, async (tx) => {
        ids = [];
        await step(tx, { most: size, without, found: (those) => void (ids = those) });
      });
    } catch (error) {
      const [first] = ids;
      if (first === undefined || isOfNode(error) || failures.length === MOST_FAILED) throw error;
      if (size > 1) {
        alone = ids.length;
        continue;
      }
      ctx.log.error(`${what} failed; the others go on`, { id: first, error });
      failures.push(error);
      without.push(first);
    }
    if (alone > 0) alone -= 1;
    else if (ids.length < size) break;
  }
  throwFirst(failures);
}

/** What is done one after another, each whatever became of those before it. */
export interface Apart {
  /** @param which names it in the log. @throws what says something of the node */
  run(which: object, work: () => Promise<unknown>): Promise<void>;
  /** @throws the first of the failures: whoever called it tries again later, and says what is wrong */
  end(): void;
}

/** @param what names what is done, in the log */
export function apart({ log }: Pick<Context, 'log'>, what: string): Apart {
  const failures: unknown[] = [];
  return {
    async run(which, work) {
      try {
        await work();
      } catch (error) {
        if (isOfNode(error)) throw error;
        log.error(`${what} failed; the others go on`, { ...which, error });
        failures.push(error);
      }
    },
    end: () => throwFirst(failures),
  };
}

/** Runs all, also after one that failed. @throws the first of the failures, at the end */
export async function eachStep(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps)
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  throwFirst(failures);
}

function throwFirst(failures: readonly unknown[]): void {
  if (failures.length > 0) throw failures[0];
}
