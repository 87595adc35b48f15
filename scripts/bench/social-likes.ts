// How many likes a second a server takes from one member over 32 connections, each durable before it is answered, next to reads of the same
// post by the same number of connections. Every connection likes a post of its own, unlikes it, and so on. Run after `npm run build` on a
// machine that does nothing else: npx tsx scripts/bench/social-likes.ts [--seconds 4] [--rounds 5] [--posts 100000]
// Ends with 1 when fewer than 2,000 a second are taken.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from '../../src/store/open.ts';
import { fillSocial } from './fill-social.ts';
import { load, wireRequest } from './load-result.ts';
import { signIn } from './mail-store.ts';
import { cleanEnvironment, startConclave } from './server-process.ts';
import { program } from './served-node.ts';
import { median, printTable } from './table.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    posts: { type: 'string', default: '100000' },
  },
});
const connections = 32;
const LEAST = 2_000;

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
const dataDir = join(folder, 'data');
try {
  const env = cleanEnvironment({ CONCLAVE_DATA_DIR: dataDir });
  const { status, stderr } = spawnSync(process.execPath, [program, 'init', '--generate-password'], { env });
  if (status !== 0) throw new Error(`conclave init ended with ${status}: ${stderr.toString()}`);
  const filled = await filledWith(Number(values.posts));
  await using server = await startConclave(dataDir);
  const { headers } = await signIn(server.port, dataDir);
  const posts = filled.some.slice(-connections).map((id) => `/api/social/posts/${id}`);
  const likes = posts.flatMap((path) => [
    wireRequest('POST', `${path}/like`, headers),
    wireRequest('DELETE', `${path}/like`, headers),
  ]);
  const reads = posts.map((path) => wireRequest('GET', path, headers));
  const rates: Record<'likes' | 'reads', number[]> = { likes: [], reads: [] };
  // The first round is for V8 to compile what is hot.
  for (let round = -1; round < Number(values.rounds); round += 1) {
    for (const [name, request] of [
      ['reads', reads],
      ['likes', likes],
    ] as const) {
      const given = { port: server.port, connections, seconds: Number(values.seconds), request };
      const { perSecond } = await load(given);
      if (round >= 0) rates[name].push(perSecond);
    }
  }
  const [liked, read] = [median(rates.likes), median(rates.reads)];
  const kept = liked >= LEAST;
  printTable(
    ['', 'a second', 'at least', 'of the reads'],
    [
      ['likes and unlikes, durable', liked.toFixed(0), LEAST, `${(liked / read).toFixed(2)}${kept ? '' : ' MISSED'}`],
      ['reads of a post', read.toFixed(0), '-', '1.00'],
    ],
  );
  if (!kept) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function filledWith(posts: number) {
  await using database = await openDatabase({ dataDir, command: 'a benchmark' });
  return await fillSocial(database, { posts, members: 2_000, follows: 4_000 });
}
