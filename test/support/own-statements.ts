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
let watched = false;

/** Statements know which work they belong to, however many works there are. */
function watch(): void {
  if (watched) return;
  watched = true;
  const { executeQuery } = SessionExecutor.prototype;
  SessionExecutor.prototype.executeQuery = async function executeNoted(query) {
    const noted = works.getStore();
    noted?.statements.push(query.sql);
    const result = (await executeQuery.call(this, query)) as Awaited<ReturnType<typeof executeQuery<never>>>;
    if (noted !== undefined) noted.rows += result.rows.length + Number(result.numAffectedRows ?? 0);
    return result;
  };
}

/** Does a piece of work, and gives its own statements: nothing of what happens in the background meanwhile, and of no other work. */
export async function ownStatements<T>(work: () => Promise<T>): Promise<OwnWork<T>> {
  watch();
  const noted: Noted = { statements: [], rows: 0 };
  const result = await works.run(noted, work);
  return { result, ...noted };
}
