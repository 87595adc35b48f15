import fc from 'fast-check';
import picomatch from 'picomatch';
import { expect, it } from 'vitest';
import { excluding, nameMatches, pathMatches } from '../../src/cli/files/transfer/globs.ts';
import { runs } from '../support/stage.ts';

const name = fc
  .string({ unit: fc.constantFrom('a', 'b', 'c', '.', '-'), minLength: 1, maxLength: 6 })
  // picomatch wants something behind the last dot, and shells don't.
  .filter((text) => !text.endsWith('.'));
const pattern = fc
  .array(fc.constantFrom('a', 'b', '.', '-', '*', '?', '[ab]', '[!ab]', '[a-c]', '[b-]'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''))
  .filter((text) => text !== '.' && !text.includes('**'));

const plain = { nobrace: true, noextglob: true, nonegate: true };

/** What picomatch says. It knows the other sign of negation alone. */
function matchesThere(text: string, path: string): boolean {
  return picomatch(text.replaceAll('[!', '[^'), plain)(path);
}

/** For picomatch, a set of characters may have the dot at the beginning of a name. */
function isOdd(text: string, one: string): boolean {
  return text.startsWith('[') && one.startsWith('.');
}

it('matches the names that another matcher does', () => {
  fc.assert(
    fc.property(pattern, name, (text, one) => {
      fc.pre(!isOdd(text, one));
      expect(nameMatches(text, one)).toBe(matchesThere(text, one));
    }),
    { numRuns: runs(1_000) },
  );
});

it('matches the paths that another matcher does', () => {
  const inner = fc.oneof(fc.constant('**'), pattern);
  const parts = fc.tuple(fc.array(inner, { maxLength: 3 }), pattern).map(([some, last]) => some.concat(last));
  fc.assert(
    fc.property(parts, fc.array(name, { minLength: 1, maxLength: 4 }), (some, path) => {
      fc.pre(!some.some((text) => path.some((one) => isOdd(text, one))));
      expect(pathMatches(some, path)).toBe(matchesThere(some.join('/'), path.join('/')));
    }),
    { numRuns: runs(1_000) },
  );
});

it('finds nothing hidden with two stars, and leaves it out with them', () => {
  for (const path of [['.a'], ['b', '.a'], ['.b', 'a'], ['b', '.c', 'a']]) {
    expect(pathMatches(['**'], path), path.join('/')).toBe(false);
    expect(excluding(['/**'])(path, false), path.join('/')).toBe(true);
  }
  expect(pathMatches(['**', '.a'], ['b', 'c', '.a'])).toBe(true);
  expect(pathMatches(['.b', '**'], ['.b', 'c', 'a'])).toBe(true);
});

it.each([
  'IMG (1).jpg',
  'a{b,c}.txt',
  '!important.txt',
  '@(a|b).txt',
  '+(a)*',
  'a|b',
  '$HOME^.txt',
  'a+b.txt',
  '(a',
  'a)',
  '{a',
])('takes %s for itself, and not for a pattern of a longer kind', (text) => {
  expect(nameMatches(text, text)).toBe(true);
  expect(nameMatches(`${text.slice(0, -1)}*`, text)).toBe(true);
  for (const other of ['a', 'b', 'ab.txt', 'a.txt', 'IMG 1.jpg', 'important.txt'])
    expect(nameMatches(text, other)).toBe(false);
});

it.each<[string, string]>([
  ['stars', '*a'.repeat(100)],
  ['stars and characters', `${'*?a'.repeat(60)}b`],
  ['repeated groups of other matchers', `${'*(a|a)'.repeat(40)}b`],
  ['nested groups of other matchers', `${'+('.repeat(40)}a${')'.repeat(40)}b`],
  ['sets', `${'*[a-z]'.repeat(80)}!`],
])('takes no long time for many %s', (_, text) => {
  // A matcher that goes back to every star takes years: the test would hang.
  expect(nameMatches(`${text}#`, 'a'.repeat(255))).toBe(false);
  expect(
    pathMatches(
      Array.from({ length: 20 }, () => '**').concat(`${text}#`),
      Array.from({ length: 40 }, () => 'a'.repeat(255)),
    ),
  ).toBe(false);
});
