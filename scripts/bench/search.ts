// How long a search takes and how many documents a second are added, with many documents in the index, until the postings of all of them are
// made. Searches are timed once more while as many documents wait for their postings as there may be. Beside it stand the numbers that a slow
// machine changes less: how many times quicker a search is than looking at all documents, and how long a document takes by the processor of
// this process.
// npx tsx scripts/bench/search.ts [--documents 1000000] [--folder <on the disk in question>] [--engine sqljs] [--small]
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { silentLog } from '../../src/base/log.ts';
import type { Database } from '../../src/platform/store/database.ts';
import { runJobs } from '../../src/platform/store/jobs/jobs.ts';
import { openDatabase } from '../../src/platform/store/open.ts';
import { indexed, type SearchSpace } from '../../src/platform/store/search/document.ts';
import { putDocument, putDocuments } from '../../src/platform/store/search/documents.ts';
import { searchMergeKind } from '../../src/platform/store/search/merge-kind.ts';
import { searchMergeHandler, usualBounds } from '../../src/platform/store/search/merge.ts';
import { searchSpaces } from '../../src/platform/store/search/search-spaces.ts';
import { search, type Search } from '../../src/platform/store/search/search.ts';
import { inTurns, median, type Measured, ownFolder, report, settings, timed } from './harness.ts';
import { startEngine } from './server.ts';

const { documents, folder, engine } = settings(
  { documents: 1_000_000, folder: '', engine: 'sqljs' },
  { documents: 8_000 },
);
const atOnce = 64;
const vocabulary = 100_000;
/** Milliseconds that the first page may take. */
const bounds = { rare: 5, frequent: 20 };
const leastAdded = 2_000;
/** How many documents are added at the end a hundred in a transaction, and one by one. */
const [batched, alone] = [Math.min(20_000, documents / 4), Math.min(5_000, documents / 8)];
/** In a transaction: what an import brings, or what waits together. */
const together = 100;

const space: SearchSpace = { name: 'bench' };
const cursors: Search['cursors'] = {
  keys: { cursor: new Uint8Array(32) },
  random: (size) => randomBytes(size),
  clock: { now: () => 0 },
};
const listing: Search['listing'] = { list: 'bench', memberId: 'm' };

let state = 1;
/** The same documents in every run: xorshift32. */
function random(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

/** The n-th most frequent word comes about 1/n as often as the first, as in any language. */
function someWord(): string {
  return `${Math.floor(vocabulary ** random()).toString(36)}w`;
}

/** 8 to 24 words, the number of its group of twenty, which is a rare word, and one of two words that never meet. */
function textOf(index: number): string {
  const words = Array.from({ length: 8 + Math.floor(random() * 16) }, someWord);
  return [...words, `group${Math.floor(index / 20)}end`, `side${index % 2}`].join(' ');
}

interface Added {
  /** before the postings of all of them were made */
  readonly answered: number;
  readonly perSecond: number;
  /** of the processor, for one document */
  readonly milliseconds: number;
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** @param size of a transaction; `atOnce` of them are under way, as requests are */
async function add(database: Database, from: number, to: number, size = together, wait = true): Promise<Added> {
  const [began, processor] = [performance.now(), processorMs()];
  const starts = Array.from({ length: Math.ceil((to - from) / size) }, (_, index) => from + index * size);
  const waiting = starts.values();
  async function write(): Promise<void> {
    for (const start of waiting) {
      const batch = Array.from({ length: Math.min(size, to - start) }, (_, index) => {
        const id = (start + index).toString(16).padStart(32, '0');
        return indexed(space, { id, at: 1_700_000_000_000 + (start + index) * 1000, text: textOf(start + index) });
      });
      await database.transaction(async (db) => {
        const [only] = batch;
        if (size === 1 && only !== undefined) await putDocument(db, only);
        else await putDocuments(db, batch);
      });
    }
  }
  await Promise.all(Array.from({ length: size === 1 ? atOnce : 2 }, write));
  const quick = performance.now() - began;
  if (wait) await merged(database);
  const number = to - from;
  return {
    answered: (number / quick) * 1000,
    perSecond: (number / (performance.now() - began)) * 1000,
    milliseconds: (processorMs() - processor) / number,
  };
}

interface Asked {
  readonly name: string;
  readonly text: (turn: number, size: number) => string;
  readonly request?: Partial<Search>;
  /** of which bound it is, if of one */
  readonly bound?: 'rare' | 'frequent';
}

const group = (turn: number, size: number): string => `group${((turn * 7919) % Math.floor(size / 20)) + 1}end`;
const asked: readonly Asked[] = [
  { name: 'a rare word', text: group, request: { prefix: false }, bound: 'rare' },
  { name: 'a rare word, by its beginning', text: (turn, size) => group(turn, size).slice(0, -2), bound: 'rare' },
  { name: 'a rare word and a frequent one', text: (turn, size) => `${group(turn, size)} 1w`, bound: 'rare' },
  { name: 'a rare word, by relevance', text: group, request: { order: 'relevance' }, bound: 'rare' },
  { name: 'the most frequent word', text: () => '1w', request: { prefix: false }, bound: 'frequent' },
  {
    name: 'the most frequent word, by relevance',
    text: () => '1w',
    request: { order: 'relevance' },
    bound: 'frequent',
  },
  { name: 'two frequent words', text: () => '1w 2w', bound: 'frequent' },
  { name: 'two frequent words that never meet', text: () => 'side0 side1', request: { prefix: false } },
  { name: 'a word of one in a hundred', text: () => '2sw', request: { prefix: false }, bound: 'frequent' },
  { name: 'the beginning of very many words', text: () => 'g', bound: 'frequent' },
  { name: 'the beginning of some words', text: () => '2s', bound: 'frequent' },
  { name: 'two words that seldom meet', text: () => '2sw 3tw' },
];

async function timeAll(database: Database, size: number): Promise<number[]> {
  const times: number[] = [];
  for (const { text, request } of asked) {
    let turn = 0;
    const look = async (): Promise<void> => {
      const sought: Search = { space, text: text(turn++, size), order: 'newest', listing, cursors, ...request };
      await search(database.db, sought, { limit: 20 });
    };
    times.push(median((await inTurns(41, { look }, { warmUps: 0 })).look));
  }
  return times;
}

const fewSpaces: readonly SearchSpace[] = Array.from({ length: 20 }, (_, index) => ({
  name: `bench.${index}`,
  key: new Uint8Array(32).fill(index),
}));

/** Such as mailboxes: each has a key of its own and five hundred documents. @returns the first page of the newest of all of them */
async function timeSpaces(database: Database): Promise<number> {
  for (const one of fewSpaces) {
    const those = Array.from({ length: 500 }, (_, index) =>
      indexed(one, { id: `${index}`, at: 1_600_000_000_000 + index * 1000, text: textOf(index) }),
    );
    await database.transaction(async (db) => await putDocuments(db, those));
  }
  await merged(database);
  const spaces = [space, ...fewSpaces];
  const look = async (): Promise<void> =>
    void (await searchSpaces(database.db, { spaces, text: '1w', listing, cursors }, { limit: 20 }));
  return median((await inTurns(21, { look }, { warmUps: 0 })).look);
}

/** What a search is quicker than. */
async function scanMs(database: Database): Promise<number> {
  const scan = sql`select count(*) from search_documents where words like '%"nothing":%'`;
  return await timed(async () => await scan.execute(database.db));
}

/** Resolves when no postings are asked for any more. */
async function merged({ db }: Database): Promise<void> {
  const jobs = db.selectFrom('jobs').select('id').where('kind', '=', searchMergeKind).limit(1);
  while ((await jobs.execute()).length > 0) await sleep(10);
}

/** What waits for its postings when nobody makes any: searches look at all of it. @returns how many documents */
async function addWaiting(database: Database, from: number): Promise<number> {
  const waiting = database.db
    .selectFrom('search_pending')
    .innerJoin('search_spaces as s', 's.id', 'space')
    .where('s.name', '=', space.name)
    .select(({ fn }) => [fn.countAll<number>().as('documents'), fn.sum<number | null>('size').as('words')]);
  for (let to = from; ; to += together) {
    const { documents: count, words } = await waiting.executeTakeFirstOrThrow();
    if (Number(words) >= usualBounds.backlog) return count;
    await add(database, to, to + together, together, false);
  }
}

await using own = await ownFolder(folder);
await using server = await startEngine(engine);
await using database = await openDatabase({ dataDir: own.path, url: server.url, create: true, migrate: true });
const ending = new AbortController();
const running = runJobs(
  database,
  { [searchMergeKind]: searchMergeHandler(database) },
  { clock: Date, random: (size) => randomBytes(size), signal: ending.signal, log: silentLog },
);
const few = Math.floor(documents / 100);
await add(database, 0, few);
const before = await timeAll(database, few);
const until = documents - batched - alone;
const most = await add(database, few, until);
const batches = await add(database, until, until + batched);
const single = await add(database, until + batched, documents, 1);
// PostgreSQL does it by itself within a minute.
if (engine === 'postgres') await sql`vacuum analyze`.execute(database.db);
const after = await timeAll(database, documents);
const several = await timeSpaces(database);
ending.abort();
await running;
const scan = await scanMs(database);
const waiting = await addWaiting(database, documents);
const meanwhile = await timeAll(database, documents);

const searches = (found: readonly number[], what: string): Measured[] =>
  asked.map(({ name, bound }, index) => {
    const [value = Number.NaN, small = Number.NaN] = [found[index], before[index]];
    return {
      what: `${name}${what}, ${(scan / value).toFixed(0)} times quicker than a scan`,
      value,
      unit: 'ms',
      nextTo: `in ${few} documents, ${small.toFixed(2)} ms`,
      ratio: value / small,
      atMost: bound === undefined ? undefined : bounds[bound],
    };
  });
const added = (what: string, { answered, perSecond, milliseconds }: Added, atLeast?: number): Measured => ({
  what: `documents added ${what}, ${milliseconds.toFixed(2)} ms of the processor each`,
  value: perSecond,
  unit: '/s',
  nextTo: `before their postings, ${answered.toFixed(0)}/s`,
  atLeast,
});
report(`Searches in ${documents} documents on ${engine}`, [
  ...searches(after, ''),
  ...searches(meanwhile, ` while ${waiting} more wait`),
  { what: `the most frequent word in ${fewSpaces.length + 1} spaces`, value: several, unit: 'ms' },
  added(`${together} at once, most of them`, most, leastAdded),
  added(`${together} at once, the last ${batched}`, batches, leastAdded),
  added('one at once', single),
]);
