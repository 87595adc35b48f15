import { CompiledQuery } from 'kysely';
import { expect } from 'vitest';
import type { Context } from '../../src/service/context.ts';
import type { House } from './house.ts';

interface Place {
  readonly house: Pick<House, 'ctx'>;
}

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>;

/** The statements that are written as text and run meanwhile. */
export async function statementsOf({ house }: Place, run: (ctx: Context) => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const db = new Proxy(house.ctx.db, {
    get(target, name) {
      if (name === 'executeQuery')
        return async (query: CompiledQuery) => {
          statements.push(query);
          return await target.executeQuery(query);
        };
      // What is written in templates asks this for a connection.
      if (name === 'getExecutor') {
        const executor = target.getExecutor();
        return () =>
          new Proxy(executor, {
            get(one, part) {
              const found: unknown = Reflect.get(one, part, one);
              if (typeof found !== 'function') return found;
              if (part !== 'executeQuery') return found.bind(one) as unknown;
              return async (query: CompiledQuery) => {
                statements.push(query);
                return await one.executeQuery(query);
              };
            },
          });
      }
      const found: unknown = Reflect.get(target, name, target);
      return typeof found === 'function' ? (found.bind(target) as unknown) : found;
    },
  });
  await run({ ...house.ctx, db });
  return statements;
}

/**
 * How the engine would run a statement, in its own words.
 * @param indexed PostgreSQL reads a whole table where no index serves, and nowhere else: it does so with all small ones
 */
export async function planOf({ house }: Place, { sql, parameters }: Statement, indexed = false): Promise<string> {
  const { store } = house.ctx;
  return await store.transaction(async (db) => {
    const asked = async (text: string, values: readonly unknown[] = []) =>
      (await db.executeQuery<Record<string, string>>(CompiledQuery.raw(text, [...values]))).rows;
    if (store.engine === 'sqljs')
      return (await asked(`explain query plan ${sql}`, parameters)).map(({ detail }) => detail).join('\n');
    if (indexed) await asked('set local enable_seqscan = off');
    return (await asked(`explain ${sql}`, parameters)).map((row) => row['QUERY PLAN']).join('\n');
  });
}

/** The plans of all statements that are written as text and run meanwhile. @param indexed as in `planOf` */
export async function plansOf(scene: Place, run: (ctx: Context) => Promise<unknown>, indexed = false): Promise<string> {
  const statements = await statementsOf(scene, run);
  expect(statements.length).toBeGreaterThan(0);
  const found: string[] = [];
  for (const statement of statements) found.push(await planOf(scene, statement, indexed));
  return found.join('\n');
}
