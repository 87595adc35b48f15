import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textsOf } from './engine-statements.ts';
import { refusedByPostgres } from './parsed-statements.ts';
import type { RecordedStatement } from './recorded-statements.ts';
import { unprepared } from './unprepared-statements.ts';

/** A statement that the embedded engine ran, and PostgreSQL would refuse. */
interface Refused extends RecordedStatement {
  readonly refusal: string;
}

export interface Preparation {
  /** how many texts PostgreSQL read */
  readonly texts: number;
  /** places whose statements PostgreSQL takes, or that are excused */
  readonly passed: number;
  readonly refused: readonly Refused[];
  /** places on the list of those that are excused, without a reason any more */
  readonly idle: readonly string[];
}

/** How PostgreSQL is made ready: every migration has run there before any of this. */
const migrating = /^src\/platform\/store\/migrations(?:\.ts |\/)/;

/** What was recorded in a run. */
export async function readStatements(folder: string): Promise<RecordedStatement[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  const texts = await Promise.all(files.map(async (name) => await readFile(join(folder, name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as RecordedStatement);
}

/**
 * Has PostgreSQL read what a run of the tests had the embedded engine do.
 * @param url of a database with the tables of the store
 * @param excused places that need not work there
 */
export async function prepareStatements(
  recorded: readonly RecordedStatement[],
  url: string,
  { embeddedOnly = textsOf('sqljs'), excused = unprepared }: Partial<Excuses> = {},
): Promise<Preparation> {
  const shared = recorded.filter(({ place, embedded }) => !migrating.test(place) && !embeddedOnly.has(embedded));
  const texts = new Set(shared.map(({ server }) => server));
  const refusals = await refusedByPostgres(url, texts);
  const all = shared.flatMap((statement) => {
    const refusal = refusals.get(statement.server);
    return refusal === undefined ? [] : [{ ...statement, refusal }];
  });
  const refused = all.filter((one) => !namesOf(one).some((name) => Object.hasOwn(excused, name)));
  const needed = new Set(all.flatMap(namesOf));
  const failed = new Set(refused.map(({ place }) => place));
  const places = new Set(shared.map(({ place }) => place));
  return {
    texts: texts.size,
    passed: places.size - failed.size,
    refused,
    idle: Object.keys(excused).filter((name) => !needed.has(name)),
  };
}

/** What excuses a statement: its place, of tests the whole file, or a table that it wants. */
function namesOf({ place, refusal }: Refused): string[] {
  const table = /^relation "(\w+)" does not exist$/.exec(refusal)?.[1];
  return [place, ...(place.startsWith('test/') ? [place.split(' ')[0] ?? ''] : []), `the table ${table}`];
}

interface Excuses {
  /** statements of the embedded engine alone */
  readonly embeddedOnly: ReadonlyMap<string, string>;
  readonly excused: Readonly<Record<string, string>>;
}
