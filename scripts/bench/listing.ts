// What a table of 20,000 entries costs on a terminal, measured against the same rows for a pipe: npx tsx scripts/bench/listing.ts
import { measured } from '../../src/cli/kit/display-width.ts';
import { table } from '../../src/cli/kit/table.ts';
import { median, printTable } from './table.ts';

const ROUNDS = 7;
const ENTRIES = 20_000;

interface Row {
  readonly title: string;
  readonly username: string;
  readonly url: string;
}

const columns = [
  { title: 'TITLE', of: ({ title }: Row) => title },
  { title: 'USERNAME', of: ({ username }: Row) => username },
  { title: 'URL', of: ({ url }: Row) => url },
];

async function milliseconds(rows: readonly Row[], width: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    await measured((measure) => table({ width, paint: (_, text) => text, measure }, rows, columns));
    times.push(performance.now() - started);
  }
  return median(times);
}

const results: (readonly [string, string, string, string])[] = [];
for (const name of ['Entry', 'Eintrag für', '条目', 'Joined e\u0301 👩‍👩‍👧']) {
  const rows = Array.from({ length: ENTRIES }, (_, at) => ({
    title: `${name} ${at} of somebody with a long name`,
    username: `user-${at}@home.example`,
    url: `https://site-${at}.example/sign-in`,
  }));
  const piped = await milliseconds(rows, Number.POSITIVE_INFINITY);
  const shown = await milliseconds(rows, 80);
  results.push([name, piped.toFixed(0), shown.toFixed(0), (shown / piped).toFixed(1)]);
}
printTable(['titles', 'pipe, ms', 'terminal, ms', 'ratio'], results);
