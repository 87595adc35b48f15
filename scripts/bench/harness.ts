import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

type Widened<T> = { readonly [Name in keyof T]: T[Name] extends number ? number : string };

const isSmall = process.argv.includes('--small');

/**
 * What the command line sets, as `--name value`, in place of what is usual. `--small` takes other values: with them a bench shows in less than
 * a minute that it works, its numbers say little, and no bound is looked at.
 */
export function settings<const T extends Readonly<Record<string, number | string>>>(
  usual: T,
  small: Partial<Widened<T>> = {},
): Widened<T> {
  const options = Object.fromEntries(Object.keys(usual).map((name) => [name, { type: 'string' } as const]));
  const parsed = parseArgs({ options: { ...options, small: { type: 'boolean' } } });
  const values: Readonly<Record<string, unknown>> = parsed.values;
  const wanted = { ...usual, ...(isSmall && small) } as Readonly<Record<string, number | string>>;
  const set = Object.entries(wanted).map(([name, value]): [string, number | string] => {
    const given = values[name];
    if (typeof given !== 'string') return [name, value];
    if (typeof value === 'string') return [name, given];
    const number = Number(given);
    if (!(number >= 0)) throw new Error(`--${name} is a number, not ${given}`);
    return [name, number];
  });
  return Object.fromEntries(set) as Widened<T>;
}

/** A folder for this run, in `above` or where temporary files are. */
export async function ownFolder(above = ''): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(above === '' ? tmpdir() : above, 'conclave-bench-'));
  return { path, [Symbol.asyncDispose]: async () => await rm(path, { recursive: true, force: true }) };
}

/** @returns milliseconds */
export async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

interface Turns {
  /** rounds before those that count, in which V8 compiles what is hot and caches fill */
  readonly warmUps?: number;
  /** every second round begins with the last one, where what one leaves behind slows the next */
  readonly swapped?: boolean;
}

/**
 * Runs several things in turn, so that a slow moment of the machine slows all of them. Each returns what it measured, or nothing: then it is
 * the milliseconds that it took.
 * @returns for each what it measured in each round
 */
export async function inTurns<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, (round: number) => unknown>>,
  { warmUps = 1, swapped = false }: Turns = {},
): Promise<Record<Name, number[]>> {
  const names = Object.keys(works) as Name[];
  const found = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -warmUps; round < rounds; round += 1)
    for (const name of swapped && round % 2 !== 0 ? names.toReversed() : names) {
      const began = performance.now();
      const said = await works[name](round);
      if (round >= 0) found[name].push(typeof said === 'number' ? said : performance.now() - began);
    }
  return found;
}

/** The value in the middle, which a few slow runs don't move. */
export function median(values: readonly number[]): number {
  return partOf(values, 0.5);
}

/** The value that a quarter is below: where others only ever add to a time, it is nearer to what the work itself takes. */
export function lowerQuarter(values: readonly number[]): number {
  return partOf(values, 0.25);
}

export function partOf(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** The median of the ratios of the rounds. */
export function ratioOf(ours: readonly number[], others: readonly number[]): number {
  return median(ours.map((value, round) => value / (others[round] ?? Number.NaN)));
}

export interface Measured {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** what it was measured next to, in the same run, and what that took */
  readonly nextTo?: string;
  /** to that */
  readonly ratio?: number;
  readonly atMost?: number | undefined;
  readonly atLeast?: number | undefined;
  readonly ratioAtMost?: number | undefined;
  readonly ratioAtLeast?: number | undefined;
}

/** Prints what was measured, with its bounds. The process ends with 1 when one is missed. */
export function report(title: string, all: readonly Measured[]): void {
  console.log(title);
  printTable(
    ['', 'measured', 'next to', 'ratio', 'bound', ''],
    all.map((one) => [
      one.what,
      `${shown(one.value)} ${one.unit}`.trim(),
      one.nextTo ?? '',
      one.ratio === undefined ? '' : one.ratio.toFixed(2),
      boundsOf(one).join(', '),
      isSmall || boundsOf(one).length === 0 ? '' : isKept(one) ? 'ok' : 'MISSED',
    ]),
  );
  if (isSmall) console.log('Too little was measured to look at bounds: --small only shows that it works.');
  else if (!all.every(isKept)) process.exitCode = 1;
}

function isKept({ value, ratio = Number.NaN, ...bound }: Measured): boolean {
  // A bound of what is no number is missed.
  return (
    (bound.atMost === undefined || value <= bound.atMost) &&
    (bound.atLeast === undefined || value >= bound.atLeast) &&
    (bound.ratioAtMost === undefined || ratio <= bound.ratioAtMost) &&
    (bound.ratioAtLeast === undefined || ratio >= bound.ratioAtLeast)
  );
}

function boundsOf({ unit, atMost, atLeast, ratioAtMost, ratioAtLeast }: Measured): string[] {
  return [
    atMost !== undefined && `≤ ${atMost} ${unit}`.trim(),
    atLeast !== undefined && `≥ ${atLeast} ${unit}`.trim(),
    ratioAtMost !== undefined && `ratio ≤ ${shown(ratioAtMost)}`,
    ratioAtLeast !== undefined && `ratio ≥ ${shown(ratioAtLeast)}`,
  ].filter((bound) => bound !== false);
}

function shown(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);
}

/** Prints rows under their titles, numbers to the right. */
function printTable(titles: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const isNumber = titles.map((_, column) => rows.every((row) => /^(?:[\d.]+(?: \S+)?)?$/.test(row[column] ?? '')));
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0))).join('  ');
  console.log(line(titles).trimEnd());
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const row of rows) console.log(line(row).trimEnd());
}
