import { AsyncLocalStorage } from 'node:async_hooks';
import { SessionExecutor } from '../../src/platform/store/executor.ts';

/** What a piece of work asked of the store. */
export interface OwnWork<T> {
  readonly result: T;
  readonly statements: readonly string[];
  /** rows that statements returned or changed */
  readonly rows: number;
}

interface Noted {
  readonly statements: string[];
  rows: number;
}

const works = new AsyncLocalStorage<Noted>();
let underWay = 0;
let unwatched: SessionExecutor['executeQuery'] | undefined;

/** While work is under way, each statement knows to which it belongs. Others may watch as well: what was there before is put back. */
function watch(): Disposable {
  underWay += 1;
  if (underWay === 1) {
    const { executeQuery } = SessionExecutor.prototype;
    unwatched = executeQuery;
    SessionExecutor.prototype.executeQuery = async function executeNoted(query) {
      const noted = works.getStore();
      noted?.statements.push(query.sql);
      const result = (await executeQuery.call(this, query)) as Awaited<ReturnType<typeof executeQuery<never>>>;
      if (noted !== undefined) noted.rows += result.rows.length + Number(result.numAffectedRows ?? 0);
      return result;
    };
  }
  return {
    [Symbol.dispose]() {
      underWay -= 1;
      if (underWay === 0) SessionExecutor.prototype.executeQuery = unwatched!;
    },
  };
}

/** Does a piece of work, and gives its own statements: nothing of what happens in the background meanwhile, and of no other work. */
export async function ownStatements<T>(work: () => Promise<T>): Promise<OwnWork<T>> {
  using _ = watch();
  const noted: Noted = { statements: [], rows: 0 };
  const result = await works.run(noted, work);
  return { result, ...noted };
}
