import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refuseDuplicateKeys } from '../../src/http/duplicate-keys.ts';
import { Problem } from '../../src/problem.ts';

/** JSON as text, with objects that may name a key twice: a list of entries instead of an object. */
type Tree =
  | string
  | number
  | boolean
  | null
  | Tree[]
  | { readonly entries: readonly (readonly [key: string, value: Tree])[] };

const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', '', '\\', '"', '__proto__', 'é', '\u0000', '{', ',', '":') },
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const { object } = fc.letrec<{ tree: Tree; object: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    key,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.record({ entries: fc.array(fc.tuple(key, tie('tree')), { maxLength: 5 }) }),
}));

/** Spells every second character of a key as an escape, so that the same key comes in two spellings. */
function spell(text: string, escaped: boolean): string {
  if (!escaped) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

function write(value: Tree, escaped: boolean): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, escaped)).join(' ,')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{ ${value.entries.map(([name, item], at) => `${spell(name, escaped && at % 2 === 0)} : ${write(item, escaped)}`).join(',\n')}}`;
}

function hasDuplicate(value: Tree): boolean {
  if (Array.isArray(value)) return value.some(hasDuplicate);
  if (value === null || typeof value !== 'object') return false;
  const names = value.entries.map(([name]) => name);
  return new Set(names).size < names.length || value.entries.some(([, item]) => hasDuplicate(item));
}

function refuses(text: string): boolean {
  try {
    refuseDuplicateKeys(text);
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    return true;
  }
}

describe('keys that an object names twice', () => {
  it('are refused exactly where a naive look finds them', () => {
    const found = { refused: 0, accepted: 0 };
    fc.assert(
      fc.property(object, fc.boolean(), (value, escaped) => {
        const text = write(value, escaped);
        JSON.parse(text);
        const wanted = hasDuplicate(value);
        found[wanted ? 'refused' : 'accepted'] += 1;
        expect(refuses(text)).toBe(wanted);
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(found.refused, found.accepted)).toBeGreaterThan(50);
  });

  it('are found under another spelling, and not across objects', () => {
    expect(refuses(String.raw`{"a":1,"\u0061":2}`)).toBe(true);
    expect(refuses('{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}')).toBe(false);
    expect(refuses('{"a":[{"b":1}],"a":2}')).toBe(true);
    expect(refuses(String.raw`{"a":"\\","b":"\"","c":",\"a\":"}`)).toBe(false);
    expect(refuses('{"__proto__":1,"__proto__":2}')).toBe(true);
  });

  it('are looked for in time in proportion to the text, at any depth', () => {
    const started = performance.now();
    expect(refuses('['.repeat(500_000) + ']'.repeat(500_000))).toBe(false);
    expect(refuses(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`)).toBe(false);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
