import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SqliteAdapter, type CompiledQuery } from 'kysely';
import { SessionExecutor } from '../../src/platform/store/executor.ts';
import { ServerCompiler } from '../../src/platform/store/per-engine.ts';

/** A statement that ran on the embedded engine. */
export interface RecordedStatement {
  /** the function that had it run: src/platform/store/census.ts countRows */
  readonly place: string;
  /** the file of tests in which that was first */
  readonly test: string;
  /** as SQLite got it */
  readonly embedded: string;
  /** as PostgreSQL would have got it */
  readonly server: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = new ServerCompiler();

/** Workers run file after file: what the program had run need not be compiled again, whichever test had it first. */
const ofProgram = new Set<string>();

/**
 * Records each statement that runs on the embedded engine, until it is stopped: once a process, or for those of tests once a file.
 * @param test the file of tests that runs
 * @returns ends that, and gives what is new
 */
export function recordStatements(test: string): () => RecordedStatement[] {
  const { prototype } = SessionExecutor;
  const { executeQuery } = prototype;
  const found: RecordedStatement[] = [];
  // What a test has run itself belongs to its own file, even if another one has run the same.
  const ofTest = new Set<string>();
  prototype.executeQuery = function executeRecorded<R>(this: SessionExecutor, query: CompiledQuery) {
    if (this.adapter instanceof SqliteAdapter && !ofProgram.has(query.sql) && !ofTest.has(query.sql)) {
      const statement = recorded(query, test);
      (statement.place.startsWith('src/') ? ofProgram : ofTest).add(query.sql);
      found.push(statement);
    }
    return executeQuery.call(this, query) as ReturnType<typeof executeQuery<R>>;
  };
  return () => {
    prototype.executeQuery = executeQuery;
    return found;
  };
}

function recorded({ query, queryId, sql }: CompiledQuery, test: string): RecordedStatement {
  return { place: placeOf(stack()), test, embedded: sql, server: compiler.compileQuery(query, queryId).sql };
}

function stack(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 40;
  const text = new Error('only its stack is read').stack ?? '';
  Error.stackTraceLimit = stackTraceLimit;
  return text;
}

/** What hands on the statements of others. */
const between = /^(?:test\/support\/recorded-statements|src\/platform\/store\/(?:executor|written-query))\.ts$/;

function placeOf(text: string): string {
  for (const line of text.split('\n')) {
    const frame = /^ +at (?:(?:async )?(?<name>[^ (]+) (?:\[as [^\]]+\] )?\()?(?:file:\/\/)?(?<file>\/[^:)]+):\d+/.exec(
      line,
    )?.groups;
    if (frame?.['file']?.startsWith(root) !== true) continue;
    const file = frame['file'].slice(root.length);
    if (/^(?:src|test)\//.test(file) && !between.test(file)) return `${file} ${frame['name'] ?? ''}`.trim();
  }
  return 'an unknown place';
}

/** Each process has a file of its own in the folder. */
export async function keepStatements(folder: string, statements: readonly RecordedStatement[]): Promise<void> {
  if (statements.length === 0) return;
  await appendFile(join(folder, `${process.pid}.jsonl`), statements.map((one) => `${JSON.stringify(one)}\n`).join(''));
}
