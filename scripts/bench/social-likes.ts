// How many likes a second a server takes over 32 connections, each durable before it is answered, next to reads of the same posts by the same
// number of connections. Then, how many of a last round of likes their authors are told of after three seconds of quiet. Run after
// `npm run build` on a machine that does nothing else:
// npx tsx scripts/bench/social-likes.ts [--rounds 5] [--likes 8000] [--engine postgres]
// Ends with 1 when fewer than 2,000 a second are taken, or a quarter of that on PostgreSQL.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CompiledQuery } from 'kysely';
import { openDatabase } from '../../src/store/open.ts';
import { durable, startPostgres } from '../../test/support/postgres.ts';
import { fillSocial } from './fill-social.ts';
import { load, wireRequest } from './load-result.ts';
import { signIn } from './mail-store.ts';
import { cleanEnvironment, startConclave } from './server-process.ts';
import { program } from './served-node.ts';
import { median, printTable } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    likes: { type: 'string', default: '8000' },
    engine: { type: 'string', default: 'sqljs' },
  },
});
const connections = 32;
const [rounds, likes] = [Number(values.rounds), Number(values.likes)];
const LEAST = values.engine === 'postgres' ? 500 : 2_000;
const QUIET_MS = 3_000;

/** a second, of each round */
type Rates = Record<'reads' | 'likes' | 'unlikes', number[]>;

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
const dataDir = join(folder, 'data');
await using postgres = values.engine === 'postgres' ? await startPostgres(durable) : undefined;
const store = { dataDir, url: postgres?.url, command: 'a benchmark' };
const database = postgres === undefined ? {} : { CONCLAVE_DATABASE: postgres.url };
try {
  const env = cleanEnvironment({ CONCLAVE_DATA_DIR: dataDir, ...database });
  const { status, stderr } = spawnSync(process.execPath, [program, 'init', '--generate-password'], { env });
  if (status !== 0) throw new Error(`conclave init ended with ${status}: ${stderr.toString()}`);
  const posts = await filledWith((rounds + 2) * likes);
  const last = posts.slice((rounds + 1) * likes);
  const rates = await ratesOf(posts, last);
  const told = await toldOf(last.length);
  const of = (name: keyof typeof rates): number => median(rates[name].slice(1));
  const kept = of('likes') >= LEAST;
  const ratio = (name: keyof typeof rates): string => (of(name) / of('reads')).toFixed(2);
  printTable(
    ['', 'a second', 'at least', 'of the reads'],
    [
      ['likes, durable', of('likes').toFixed(0), LEAST, `${ratio('likes')}${kept ? '' : ' MISSED'}`],
      ['unlikes, durable', of('unlikes').toFixed(0), '-', ratio('unlikes')],
      ['reads of a post', of('reads').toFixed(0), '-', '1.00'],
    ],
  );
  console.log(`${told} of the last ${last.length} likes are told after ${QUIET_MS / 1_000} seconds of quiet.`);
  if (!kept) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** The last likes stay, and their authors have time to be told. */
async function ratesOf(posts: readonly string[], last: readonly string[]): Promise<Rates> {
  await using server = await startConclave(dataDir, database);
  const { headers } = await signIn(server.port, dataDir);
  const rates: Rates = { reads: [], likes: [], unlikes: [] };
  const [reads, liked, unliked] = [
    (path: string) => wireRequest('GET', path, headers),
    (path: string) => wireRequest('POST', `${path}/like`, headers),
    (path: string) => wireRequest('DELETE', `${path}/like`, headers),
  ];
  // The first round is for V8 to compile what is hot.
  for (let round = 0; round <= rounds; round += 1) {
    const these = posts.slice(round * likes, (round + 1) * likes);
    for (const [name, one] of Object.entries({ reads, likes: liked, unlikes: unliked }))
      rates[name as keyof typeof rates].push(
        (await load({ port: server.port, connections, seconds: 0, request: these.map(one) })).perSecond,
      );
  }
  await load({ port: server.port, connections, seconds: 0, request: last.map(liked) });
  await sleep(QUIET_MS);
  return rates;
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
