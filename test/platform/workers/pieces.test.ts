import { isDeepStrictEqual } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { expect, it } from 'vitest';
import { createCollector, sendInPieces, type Sent } from '../../../src/platform/workers/pieces.ts';

const MEBIBYTE = 1_024 * 1_024;

/** What arrives of a message, and how large the pieces were. */
async function passed(message: unknown): Promise<{ heard: unknown[]; sizes: number[] }> {
  const heard: unknown[] = [];
  const sizes: number[] = [];
  const collect = createCollector((one) => heard.push(one));
  await sendInPieces(message, (sent, done) => {
    const bytes = serialize(sent);
    sizes.push(bytes.length);
    collect(deserialize(bytes) as Sent);
    done(null);
  });
  return { heard, sizes };
}

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => at % 251);

it.each([
  ['nothing', undefined],
  ['bytes', { output: bytes(3 * MEBIBYTE) }],
  ['a text', 'ä😀'.repeat(MEBIBYTE)],
  ['many small values', { output: Array.from({ length: 100_000 }, (_, at) => ({ at, name: `number ${at}` })) }],
  [
    'large values in lists',
    { output: { batches: Array.from({ length: 100 }, () => [bytes(70_000), 'x'.repeat(20_000)]) } },
  ],
  ['lists in lists', Array.from({ length: 300 }, (_, at) => Array.from({ length: 300 }, () => `${at}`.repeat(9)))],
  ['what is not there', { output: { a: undefined, b: null, c: [], d: '', e: new Uint8Array() } }],
  ['an error', { failure: { error: new RangeError('out of range') } }],
])('a message with %s comes whole, and in pieces of less than 1 MiB', async (_, message) => {
  const { heard, sizes } = await passed(message);
  // The matchers of vitest take a minute for some megabytes.
  expect(isDeepStrictEqual(heard, [message])).toBe(true);
  expect(Math.max(...sizes)).toBeLessThan(MEBIBYTE);
});

it('gives bytes memory of their own', async () => {
  const { heard } = await passed([bytes(10), bytes(100_000)]);
  const [views] = heard as [Uint8Array[]];
  expect(views.map(({ buffer, length }) => buffer.byteLength === length)).toEqual([true, true]);
});
