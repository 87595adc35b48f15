// How long timelines, hubs and searches take with 1,000,000 posts, next to the same with 10,000 posts in the same run. Run on a machine that does nothing else:
// npx tsx scripts/bench/social.ts [--posts 1000000] [--rounds 41] [--engine sqljs] [--folder FOLDER] [--small]
// With --folder the stores stay there for another run, which needs the same number of posts.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import type { Actor } from '../../src/service/actor.ts';
import type { Context } from '../../src/service/context.ts';
import { hashtagFeed, homeTimeline, publicTimeline, userFeed } from '../../src/services/social/feeds/timelines.ts';
import { hubFeed } from '../../src/services/social/hubs/feed.ts';
import { search } from '../../src/services/social/search/search.ts';
import type { Database } from '../../src/platform/store/database.ts';
import { openDatabase } from '../../src/platform/store/open.ts';
import { fillSocial, type Filled } from './fill-social.ts';
import { inTurns, median, type Measured, ownFolder, report, settings, timed } from './harness.ts';
import { startEngine } from './server.ts';

const { posts, few, follows, rounds, engine, folder } = settings(
  { posts: 1_000_000, few: 10_000, follows: 400_000, rounds: 41, engine: 'sqljs', folder: '' },
  { posts: 20_000, few: 10_000, follows: 4_000, rounds: 3 },
);
/** PostgreSQL may take so many times as long. */
const SERVER = 4;
/** How much longer a page may take with all posts than with few. */
const GROWTH = 3;

const page = { limit: 20, sort: 'new', topWindow: 'week', excludeMuted: 'true' } as const;

interface Page {
  readonly what: string;
  /** milliseconds that it may take on the embedded engine */
  readonly most: number;
  readonly ask: (ctx: Context, filled: Filled, posts: number) => Promise<{ readonly posts: readonly unknown[] }>;
}

/** A word that is in as many posts, whatever their number: the frequency of words falls with their rank. */
const rareWord = (count: number): string => `${Math.round(count / 75).toString(36)}w`;

const as = (memberId: string): Actor => ({ memberId }) as Actor;

const pages: readonly Page[] = [
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

/** Pages hold as many posts in each, since of others the times would say nothing. */
async function measure({ what, most, ask }: Page, many: Store, less: Store | undefined): Promise<Measured> {
  const read = async ({ ctx, filled, count }: Store): Promise<number> => {
    let found = 0;
    const took = await timed(async () => (found = (await ask(ctx, filled, count)).posts.length));
    if (found !== page.limit && !what.includes('new member'))
      throw new Error(`${what} has ${found} posts among ${count}`);
    return took;
  };
  const times = await inTurns(
    rounds,
    { many: async () => await read(many), less: async () => (less === undefined ? 0 : await read(less)) },
    { warmUps: 0 },
  );
  const [value, before] = [median(times.many), median(times.less)];
  // One server has room for one of the stores.
  if (less === undefined) return { what, value, unit: 'ms', atMost: most * SERVER };
  const nextTo = `with ${few} posts, ${before.toFixed(2)} ms`;
  return { what, value, unit: 'ms', nextTo, ratio: value / before, atMost: most, ratioAtMost: GROWTH };
}

async function open(count: number): Promise<Store> {
  const kept = folder === '' ? undefined : join(folder, String(count));
  if (kept !== undefined) await mkdir(kept, { recursive: true });
  const own = kept === undefined ? await ownFolder() : undefined;
  const dataDir = kept ?? own?.path ?? '';
  const store = await openDatabase({ dataDir, url: database.url, migrate: true, command: 'a benchmark' });
  const ctx = { db: store.db, store, clock: Date, random: randomBytes, keys: { cursor: randomBytes(32) } };
  return {
    ctx: ctx as unknown as Context,
    filled: await filledOf(store, dataDir, count),
    count,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await own?.[Symbol.asyncDispose]();
    },
  };
}

/** Fills a store, or tells what an earlier run filled it with. */
async function filledOf(store: Database, dataDir: string, count: number): Promise<Filled> {
  const note = join(dataDir, 'filled.json');
  const known = await readFile(note, 'utf8').catch(() => undefined);
  if (known !== undefined) return JSON.parse(known) as Filled;
  const started = performance.now();
  const filled = await fillSocial(store, { posts: count, members: 20_000, follows });
  if (store.engine === 'postgres') await store.db.executeQuery(CompiledQuery.raw('vacuum analyze'));
  await writeFile(note, JSON.stringify(filled));
  console.log(`${count} posts were written in ${((performance.now() - started) / 1000).toFixed(0)} s.`);
  return filled;
}

await using database = await startEngine(engine);
await using less = database.url === undefined ? await open(few) : undefined;
await using many = await open(posts);
const results: Measured[] = [];
for (const one of pages) results.push(await measure(one, many, less));
report(`Pages with ${posts} posts on ${engine}, medians of ${rounds}`, results);
