import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '../../src/store/cursor.ts';

const key = new Uint8Array(32).fill(1);
const refusal = expect.objectContaining({ kind: 'invalid', code: 'INVALID_CURSOR' });

it('gives back the position', () => {
  const sort = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.maxSafeInteger());
  fc.assert(
    fc.property(sort, fc.stringMatching(/^[0-9a-f]{32}$/), (sort_, id) => {
      const text = encodeCursor(key, { sort: sort_, id });
      expect(text).toMatch(/^[\w-]+$/);
      expect(decodeCursor(key, text)).toEqual({ sort: sort_, id });
    }),
  );
});

it('is refused when anything of it was changed', () => {
  const text = encodeCursor(key, { sort: 1_765_000_000_000, id: 'ab'.repeat(16) });
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (let at = 0; at < text.length; at += 1)
    for (const other of alphabet) {
      if (other === text[at]) continue;
      expect(() => decodeCursor(key, text.slice(0, at) + other + text.slice(at + 1))).toThrow(refusal);
    }
  for (const changed of [
    '',
    '=',
    text.slice(1),
    text.slice(0, -1),
    `${text}A`,
    `${text}=`,
    ` ${text}`,
    text.repeat(300),
  ])
    expect(() => decodeCursor(key, changed)).toThrow(refusal);
});

it('is refused with another key', () => {
  const text = encodeCursor(key, { sort: 'a', id: 'b' });
  expect(() => decodeCursor(new Uint8Array(32).fill(2), text)).toThrow(refusal);
});

it('is refused whatever else it is', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => decodeCursor(key, text)).toThrow(refusal);
    }),
  );
});
