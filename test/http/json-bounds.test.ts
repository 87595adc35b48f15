import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkBounds, MAX_DEPTH, MAX_VALUES } from '../../src/http/json-bounds.ts';
import { inStage, runs } from '../support/stage.ts';

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
    checkBounds(Buffer.from(text));
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining('the same key twice') });
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
      { numRuns: runs(1000) },
    );
    expect(Math.min(found.refused, found.accepted)).toBeGreaterThan(runs(50));
  });

  it('are found under another spelling, and not across objects', () => {
    expect(refuses(String.raw`{"a":1,"\u0061":2}`)).toBe(true);
    expect(refuses('{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}')).toBe(false);
    expect(refuses('{"a":[{"b":1}],"a":2}')).toBe(true);
    expect(refuses(String.raw`{"a":"\\","b":"\"","c":",\"a\":"}`)).toBe(false);
    expect(refuses('{"__proto__":1,"__proto__":2}')).toBe(true);
  });
});

/** A stand-in for bytes that counts how many of them are looked at. */
function watched(text: string): { readonly bytes: Buffer; readonly looked: () => number } {
  let looked = 0;
  const bytes = new Proxy(Buffer.from(text), {
    get(target, name) {
      if (typeof name === 'string' && /^\d+$/.test(name)) looked += 1;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { bytes, looked: () => looked };
}

function reasonOf(text: string | Buffer): string {
  try {
    checkBounds(typeof text === 'string' ? Buffer.from(text) : text);
    return 'nothing';
  } catch (error) {
    expect(error).toMatchObject({ kind: 'invalid', code: 'VALIDATION_ERROR' });
    return (error as Error).message;
  }
}

describe('the bounds of JSON', () => {
  const tooDeep = 'The body is nested more than 32 levels deep.';
  const tooMany = 'The body has more than 50000 values.';
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const listed = (values: number) => `[${Array.from({ length: values }, () => '1').join()}]`;

  it('are held to the last level and value', () => {
    expect(reasonOf(nested(MAX_DEPTH))).toBe('nothing');
    expect(reasonOf(nested(MAX_DEPTH + 1))).toBe(tooDeep);
    expect(reasonOf('{"a":'.repeat(MAX_DEPTH))).toBe('nothing');
    expect(reasonOf('{"a":'.repeat(MAX_DEPTH + 1))).toBe(tooDeep);
    expect(reasonOf(listed(MAX_VALUES))).toBe('nothing');
    expect(reasonOf(listed(MAX_VALUES + 1))).toBe(tooMany);
    expect(reasonOf(`[${'{},'.repeat(MAX_VALUES / 2)}{}]`)).toBe(tooMany);
    expect(reasonOf(`[${'[],'.repeat(MAX_VALUES / 2)}1]`)).toBe(tooMany);
    expect(reasonOf(JSON.stringify(',[{'.repeat(MAX_VALUES)))).toBe('nothing');
  });

  const LONG = inStage(300_000, 300_000, 1_000_000);

  it.each([
    ['brackets', '['.repeat(LONG), tooDeep, 100],
    ['objects in objects', '{"a":'.repeat(LONG), tooDeep, 1_000],
    ['keys', `{${Array.from({ length: 0.4 * LONG }, (_, at) => `"${at}":0`).join()}}`, tooMany, 1_000_000],
    ['commas', ','.repeat(LONG), tooMany, 200_000],
  ])('end the look at the first that is too much: %s', (_, text, reason, most) => {
    const { bytes, looked } = watched(text);
    expect(reasonOf(bytes)).toBe(reason);
    expect(looked()).toBeLessThan(most);
  });

  it.each([
    ['a long text', `{"a":"${'x'.repeat(LONG)}"}`, 1_000],
    ['a text that never ends', `{"a":"${'x'.repeat(LONG)}`, 1_000],
    ['nothing but backslashes', `{"a":"${'\\'.repeat(LONG)}"}`, LONG + 1_000],
    ['nothing but quotes', `{"a":"${'\\"'.repeat(0.5 * LONG)}"}`, 2.1 * LONG],
    ['quotes here and there', `{"a":"${`${'x'.repeat(5_000)}\\"`.repeat(200)}"}`, 100_000],
    ['spaces', `{"a":1${' '.repeat(LONG)}}`, 1.1 * LONG],
  ])('take about one look at each byte, and less in texts: %s', (_, text, most) => {
    const { bytes, looked } = watched(text);
    expect(reasonOf(bytes)).toBe('nothing');
    expect(looked()).toBeLessThan(most);
  });

  it('tell where the long texts are that are no keys', () => {
    const long = 'x'.repeat(70_000);
    const text = JSON.stringify({ [long]: 'short', a: [long, `${long}\\`, { b: long }] });
    const found = checkBounds(Buffer.from(text)).map(({ start, end }) => text.slice(start, end));
    expect(found.map((one) => one.length)).toEqual([70_000, 70_002, 70_000]);
    expect(found.map((one) => JSON.parse(`"${one}"`) as string)).toEqual([long, `${long}\\`, long]);
  });
});
