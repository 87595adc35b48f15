// How many likes a second a server takes over 32 connections, each durable before it is answered, next to reads of the same posts by the same
// number of connections. Then, how many of a last round of likes their authors are told of after three seconds of quiet. Run after
// `npm run build` on a machine that does nothing else:
// npx tsx scripts/bench/social-likes.ts [--rounds 5] [--likes 8000] [--engine sqljs] [--small]
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { openDatabase } from '../../src/platform/store/open.ts';
import { fillSocial } from './fill-social.ts';
import { inTurns, median, ownFolder, report, settings } from './harness.ts';
import { load } from './load.ts';
import { initStore, signIn, startConclave, startEngine } from './server.ts';
import { wireRequest } from './wire.ts';

const { rounds, likes, engine } = settings({ rounds: 5, likes: 8_000, engine: 'sqljs' }, { rounds: 1, likes: 320 });
const connections = 32;
const LEAST = { sqljs: 2_000, postgres: 500 };
const QUIET_MS = 3_000;

/** a second, of each round */
type Rates = Record<'reads' | 'likes' | 'unlikes', number[]>;

await using folder = await ownFolder();
await using database = await startEngine(engine);
const dataDir = join(folder.path, 'data');
const store = { dataDir, url: database.url, command: 'a benchmark' };
initStore(dataDir, database.env);
const posts = await filledWith((rounds + 2) * likes);
const last = posts.slice((rounds + 1) * likes);
const rates = await ratesOf();
const told = await toldOf(last.length);
const row = (what: string, which: keyof Rates) => ({
  what,
  value: median(rates[which]),
  unit: '/s',
  nextTo: `reads of a post, ${median(rates.reads).toFixed(0)}/s`,
  ratio: median(rates[which]) / median(rates.reads),
});
report(`Likes over ${connections} connections on ${engine}`, [
  { ...row('likes, durable', 'likes'), atLeast: engine === 'postgres' ? LEAST.postgres : LEAST.sqljs },
  row('unlikes, durable', 'unlikes'),
  {
    what: `authors told of the last ${last.length} likes`,
    value: told,
    unit: '',
    nextTo: `after ${QUIET_MS / 1_000} s of quiet`,
    ratio: told / last.length,
  },
]);

/** The last likes stay, and their authors have time to be told. */
async function ratesOf(): Promise<Rates> {
  await using server = await startConclave(dataDir, database.env);
  const { headers } = await signIn(server.port, dataDir);
  const send = async (these: readonly string[], method: string, suffix: string): Promise<number> => {
    const request = these.map((path) => wireRequest(method, path + suffix, headers));
    return (await load({ port: server.port, connections, request })).perSecond;
  };
  const these = (round: number): readonly string[] => posts.slice((round + 1) * likes, (round + 2) * likes);
  const found = await inTurns(rounds, {
    reads: async (round) => await send(these(round), 'GET', ''),
    likes: async (round) => await send(these(round), 'POST', '/like'),
    unlikes: async (round) => await send(these(round), 'DELETE', '/like'),
  });
  await send(last, 'POST', '/like');
  await sleep(QUIET_MS);
  return found;
}

/** @returns the paths of so many posts that everybody sees */
async function filledWith(count: number): Promise<string[]> {
  await using filled = await openDatabase(store);
  await fillSocial(filled, { posts: Math.ceil(count * 1.2), members: 2_000, follows: 4_000 });
  // As a server does within minutes that was not filled at once.
  if (filled.engine === 'postgres') await filled.db.executeQuery(CompiledQuery.raw('vacuum analyze'));
  const rows = await filled.db
    .selectFrom('social_posts')
    .select('id')
    .where('audience', '=', 'public')
    .orderBy('id')
    .limit(count)
    .execute();
  return rows.map(({ id }) => `/api/social/posts/${id}`);
}

/** All likes before the last round were taken back. */
async function toldOf(count: number): Promise<number> {
  await using left = await openDatabase(store);
  const untold = await left.db.selectFrom('social_untold_likes').select('post_id').execute();
  return count - untold.length;
}
