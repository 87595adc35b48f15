// What looking at a body's levels, values and keys costs, against copying its bytes and against JSON.parse: npx tsx scripts/bench/json-bounds.ts
import { checkBounds } from '../../src/http/json-bounds.ts';
import { median, printTable } from './table.ts';

const ROUNDS = 9;
const MEGABYTE = 1024 ** 2;

const bodies: Record<string, string> = {
  'a file of 1 MiB in base 64': JSON.stringify({ content: 'QUJD'.repeat(MEGABYTE / 4) }),
  'a file of 32 MiB in base 64': JSON.stringify({ content: 'QUJD'.repeat(8 * MEGABYTE) }),
  'a request of 200 bytes': JSON.stringify({ username: 'ada', password: 'x'.repeat(150) }),
  '10,000 short values': JSON.stringify({ list: Array.from({ length: 10_000 }, (_, at) => `value ${at}`) }),
  '5,000 keys': JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`key ${at}`, at]))),
  '25 million [, refused': '['.repeat(25_000_000),
  '24 MB of backslashes': `{"a":"${'\\\\'.repeat(12_000_000)}"}`,
};

/** In milliseconds. What is refused counts as well. */
function timeOf(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    try {
      work();
    } catch {
      // Refusing is the work.
    }
    return performance.now() - started;
  });
  return median(times);
}

const rows = Object.entries(bodies).map(([name, text]) => {
  const bytes = Buffer.from(text);
  const copied = timeOf(() => Buffer.from(bytes));
  const parsed = name.endsWith('refused') ? Number.NaN : timeOf(() => JSON.parse(text) as unknown);
  const checked = timeOf(() => checkBounds(bytes));
  return [
    name,
    copied.toFixed(3),
    parsed.toFixed(3),
    checked.toFixed(3),
    (checked / copied).toFixed(1),
    (checked / parsed).toFixed(2),
  ] as const;
});
printTable(['body', 'copy, ms', 'JSON.parse, ms', 'check, ms', 'check / copy', 'check / parse'], rows);
