// What a table of 20,000 entries costs on a terminal, measured against the same rows for a pipe: npx tsx scripts/bench/listing.ts
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

function milliseconds(rows: readonly Row[], width: number): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    table({ width, paint: (_, text) => text }, rows, columns);
    return performance.now() - started;
  });
  return median(times);
}

const results = ['Entry', 'Eintrag für', '条目', 'Joined e\u0301 👩‍👩‍👧'].map((name) => {
  const rows = Array.from({ length: ENTRIES }, (_, at) => ({
    title: `${name} ${at} of somebody with a long name`,
    username: `user-${at}@home.example`,
    url: `https://site-${at}.example/sign-in`,
  }));
  const piped = milliseconds(rows, Number.POSITIVE_INFINITY);
  const shown = milliseconds(rows, 80);
  return [name, piped.toFixed(0), shown.toFixed(0), (shown / piped).toFixed(1)] as const;
});
printTable(['titles', 'pipe, ms', 'terminal, ms', 'ratio'], results);
