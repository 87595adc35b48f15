// How long timelines, hubs and searches take with 1,000,000 posts, next to the same with 10,000 posts in the same run. Run on a machine that does nothing else:
// npx tsx scripts/bench/social.ts [--posts 1000000] [--rounds 41] [--engine postgres] [--folder FOLDER]
// With --folder the stores stay there for another run, which needs the same number of posts.
// Ends with 1 when a page takes longer than its bound, or more than 3 times as long as with few posts.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CompiledQuery } from 'kysely';
import type { Actor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { hashtagFeed, homeTimeline, publicTimeline, userFeed } from '../../src/services/social/feeds/timelines.ts';
import { hubFeed } from '../../src/services/social/hubs/feed.ts';
import { search } from '../../src/services/social/search/search.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { fillSocial, type Filled } from './fill-social.ts';
import { durable, startPostgres } from '../../test/support/postgres.ts';
import { median, printTable } from './table.ts';

const { values } = parseArgs({
  options: {
    posts: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '41' },
    folder: { type: 'string' },
    engine: { type: 'string', default: 'sqljs' },
  },
});
const posts = Number(values.posts);
const rounds = Number(values.rounds);
const FEW = 10_000;
/** PostgreSQL may take so many times as long. */
const SERVER = 4;
/** How much longer a page may take with all posts than with few. */
const GROWTH = 3;

const page = { limit: 20, sort: 'new', topWindow: 'week', excludeMuted: 'true' } as const;

interface Measured {
  readonly what: string;
  /** milliseconds that it may take on the embedded engine */
  readonly most: number;
  readonly ask: (ctx: Context, filled: Filled, posts: number) => Promise<{ readonly posts: readonly unknown[] }>;
}

/** A word that is in as many posts, whatever their number: the frequency of words falls with their rank. */
const rareWord = (count: number): string => `${Math.round(count / 75).toString(36)}w`;

const as = (memberId: string): Actor => ({ memberId }) as Actor;

const measured: readonly Measured[] = [
  {
    what: 'home, 1,000 followed',
    most: 5,
    ask: async (ctx, { readers }) => await homeTimeline(ctx, as(readers.thousand), page),
  },
  {
    what: 'home, 5,000 followed',
    most: 25,
    ask: async (ctx, { readers }) => await homeTimeline(ctx, as(readers.fiveThousand), page),
  },
  ...(['thousand', 'fiveThousand'] as const).flatMap((reader) =>
    (
      [
        ['hot', 'all'],
        ['top', 'all'],
        ['top', 'month'],
      ] as const
    ).map(([sort, topWindow]) => ({
      what: `home, ${reader === 'thousand' ? '1,000' : '5,000'} followed, ${sort}${topWindow === 'month' ? ' of the month' : ''}`,
      most: 15,
      ask: async (ctx: Context, { readers }: Filled) =>
        await homeTimeline(ctx, as(readers[reader]), { ...page, sort, topWindow }),
    })),
  ),
  {
    what: 'home, new member',
    most: 1,
    ask: async (ctx, { readers }) => await homeTimeline(ctx, as(readers.nobody), page),
  },
  {
    what: 'public, new',
    most: 5,
    ask: async (ctx, { readers }) => await publicTimeline(ctx, as(readers.nobody), page),
  },
  {
    what: 'public, hot',
    most: 15,
    ask: async (ctx, { readers }) => await publicTimeline(ctx, as(readers.nobody), { ...page, sort: 'hot' }),
  },
  {
    what: 'public, top of the week',
    most: 15,
    ask: async (ctx, { readers }) => await publicTimeline(ctx, as(readers.nobody), { ...page, sort: 'top' }),
  },
  {
    what: 'public, top of all',
    most: 15,
    ask: async (ctx, { readers }) =>
      await publicTimeline(ctx, as(readers.nobody), { ...page, sort: 'top', topWindow: 'all' }),
  },
  {
    what: 'member, new',
    most: 5,
    ask: async (ctx, { readers }) => await userFeed(ctx, as(readers.nobody), { ...page, id: 'member30' }),
  },
  {
    what: 'hashtag, new',
    most: 5,
    ask: async (ctx, { readers }) => await hashtagFeed(ctx, as(readers.nobody), { ...page, tag: 'tag3' }),
  },
  ...(['hot', 'top'] as const).map((sort) => ({
    what: `hashtag, ${sort}`,
    most: 15,
    ask: async (ctx: Context, { readers }: Filled) =>
      await hashtagFeed(ctx, as(readers.nobody), { ...page, sort, topWindow: 'all', tag: 'tag0' }),
  })),
  ...(['hot', 'top'] as const).map((sort) => ({
    what: `member, ${sort}`,
    most: 15,
    ask: async (ctx: Context, { readers }: Filled) =>
      await userFeed(ctx, as(readers.nobody), { ...page, sort, topWindow: 'all', id: 'member0' }),
  })),
  ...(['new', 'hot', 'top', 'controversial'] as const).map((sort) => ({
    what: `hub, ${sort}`,
    most: sort === 'new' ? 5 : 15,
    ask: async (ctx: Context, { readers, hub: hubId }: Filled) =>
      await hubFeed(ctx, as(readers.thousand), { ...page, sort, topWindow: 'month', hubId }),
  })),
  ...Object.entries({
    'the most frequent word': () => '1w',
    'two words': () => '2w 30w',
    'a rare word': rareWord,
  }).map(([what, word]) => ({
    what: `search, ${what}`,
    most: 10,
    ask: async (ctx: Context, { readers }: Filled, count: number) =>
      await search(ctx, as(readers.nobody), { q: word(count), limit: 20 }),
  })),
  {
    what: 'search in a hub, by a member',
    most: 10,
    ask: async (ctx, { readers, hub }) => await search(ctx, as(readers.thousand), { q: `hub:${hub} 1w`, limit: 20 }),
  },
];

interface Store extends AsyncDisposable {
  readonly ctx: Context;
  readonly filled: Filled;
  readonly count: number;
}

/**
 * Medians for each store, of rounds in turn: what else the machine does slows all of them. Pages hold as many posts in each, since of
 * others the times would say nothing.
 */
async function measure({ what, ask }: Measured, stores: readonly Store[]): Promise<number[]> {
  const times = stores.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, { ctx, filled, count }] of stores.entries()) {
      const started = performance.now();
      const { posts: read } = await ask(ctx, filled, count);
      times[at]?.push(performance.now() - started);
      if (read.length !== page.limit && !what.includes('new member'))
        throw new Error(`${what} has ${read.length} posts among ${count}`);
    }
  }
  return times.map(median);
}

async function open(count: number): Promise<Store> {
  const kept = values.folder === undefined ? undefined : join(values.folder, String(count));
  if (kept !== undefined) await mkdir(kept, { recursive: true });
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'conclave-bench-')));
  const store = await openDatabase({ dataDir: folder, url: server?.url, migrate: true, command: 'a benchmark' });
  const ctx = { db: store.db, store, clock: Date, random: randomBytes, keys: { cursor: randomBytes(32) } };
  return {
    ctx: ctx as unknown as Context,
    filled: await filledOf(store, folder, count),
    count,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      if (kept === undefined) await rm(folder, { recursive: true });
    },
  };
}

/** Fills a store, or tells what an earlier run filled it with. */
async function filledOf(database: Database, folder: string, count: number): Promise<Filled> {
  const note = join(folder, 'filled.json');
  const known = await readFile(note, 'utf8').catch(() => undefined);
  if (known !== undefined) return JSON.parse(known) as Filled;
  const started = performance.now();
  const filled = await fillSocial(database, { posts: count, members: 20_000, follows: 400_000 });
  if (database.engine === 'postgres') await database.db.executeQuery(CompiledQuery.raw('vacuum analyze'));
  await writeFile(note, JSON.stringify(filled));
  console.log(`${count} posts were written in ${((performance.now() - started) / 1000).toFixed(0)} s.`);
  return filled;
}

// One server for all: it writes as durably as one that is installed.
await using server = values.engine === 'postgres' ? await startPostgres(durable) : undefined;
await using few = server === undefined ? await open(FEW) : undefined;
await using many = await open(posts);
const factor = server === undefined ? 1 : SERVER;
let missed = 0;
const rows: (string | number)[][] = [];
for (const one of measured) {
  const [now = Number.NaN, before] = await measure(one, few === undefined ? [many] : [many, few]);
  const growth = before === undefined ? undefined : now / before;
  const kept = now <= one.most * factor && (growth === undefined || growth <= GROWTH);
  if (!kept) missed += 1;
  rows.push([
    one.what,
    now.toFixed(2),
    one.most * factor,
    before?.toFixed(2) ?? '-',
    `${growth?.toFixed(2) ?? '-'}${kept ? '' : ' MISSED'}`,
  ]);
}
printTable(['Page', 'ms', 'at most', `with ${FEW} posts`, 'growth'], rows);
process.exitCode = missed > 0 ? 1 : 0;
