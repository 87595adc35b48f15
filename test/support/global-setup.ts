import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A superuser on the maintenance database; undefined where CONCLAVE_TEST_ENGINES leaves PostgreSQL out. */
    postgresUrl: string | undefined;
  }
}

/** Starts one PostgreSQL for the whole run, unless CONCLAVE_TEST_ENGINES (sqljs, postgres or both; both by default) leaves it out. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const engines = process.env['CONCLAVE_TEST_ENGINES'] ?? 'both';
  if (!['sqljs', 'postgres', 'both'].includes(engines)) {
    throw new Error(`CONCLAVE_TEST_ENGINES is ${JSON.stringify(engines)}; it can be sqljs, postgres or both.`);
  }
  project.provide('postgresUrl', undefined);
  if (engines === 'sqljs') return undefined;
  const postgres = await startPostgres();
  project.provide('postgresUrl', postgres.url);
  return async () => await postgres[Symbol.asyncDispose]();
}
