import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Check {
  readonly number: number;
  readonly line: string;
  /** below test/ */
  readonly files: readonly string[];
}

const root = import.meta.dirname;
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

function listed(path: string): Check[] {
  return [...textOf(path).matchAll(/^(\d+)\. (.+)$/gm)].map(([, number, line = '']) => ({
    number: Number(number),
    line,
    files: [...line.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file]) => file!),
  }));
}

/** The numbers that names of tests in a file begin with, such as of `check 3, …`, `check 3: …` and `checks 3 and 7, …`. */
function numbersIn(file: string): number[] {
  const names = textOf(file).matchAll(/\(\s*['"`]checks? (\d+)(?: and (\d+))?[,:] /g);
  return [...names].flatMap(([, one, other]) => (other === undefined ? [Number(one)] : [Number(one), Number(other)]));
}

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && path !== 'check-lists.test.ts')
  .toSorted();
const isSocial = (path: string): boolean => /^(?:services\/(?:social|notifications)|shared\/groups)\//.test(path);

const inOrder = (numbers: Iterable<number>): number[] => [...new Set(numbers)].toSorted((one, other) => one - other);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

describe('the list of checks', () => {
  it('of the social network has every number that tests have, and no other', () => {
    const checks = listed('services/social/checks/README.md');
    expect(checks.map(({ number }) => number)).toEqual(upTo(28));
    const wanted = checks.filter(({ line }) => !line.includes('No test: ')).map(({ number }) => number);
    expect(inOrder(files.filter(isSocial).flatMap(numbersIn))).toEqual(wanted);
  });

  it('of the file vault names for every number the files whose tests have it', () => {
    const checks = listed('services/filevault/checks/README.md');
    expect(checks.map(({ number }) => number)).toEqual(upTo(34));
    const found = files.filter((file) => !isSocial(file));
    for (const { number, line, files: told } of checks) {
      const named = line.includes(': the whole of ')
        ? told.filter((file) => found.includes(file))
        : found.filter((file) => numbersIn(file).includes(number));
      expect([number, named]).toEqual([number, told.toSorted()]);
      expect(told.length, line).toBeGreaterThan(0);
    }
    const numbers = found.flatMap(numbersIn);
    expect(numbers.filter((number) => number < 1 || number > 34)).toEqual([]);
  });
});
