import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gatherPieces } from '../../src/base/pieces.ts';
import { memoryKept } from '../support/memory-kept.ts';

describe('pieces', () => {
  it('make the whole again, however many and however large they are, and as often as somebody asks', () => {
    const lengths = fc.array(fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 4090, max: 4100 })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 0, max: 3000 }), (sizes, ones) => {
        const pieces = gatherPieces();
        const all = [...sizes, ...Array.from({ length: ones }, () => 1), ...sizes].map((size, at) =>
          Buffer.alloc(size, at),
        );
        for (const piece of all) pieces.add(piece);
        expect(pieces.whole().equals(Buffer.concat(all))).toBe(true);
        pieces.add(Buffer.from('end'));
        expect(pieces.whole().equals(Buffer.concat([...all, Buffer.from('end')]))).toBe(true);
        pieces.clear();
        expect(pieces.whole().length).toBe(0);
      }),
    );
  });

  it('of one byte each are kept as what they are together', () => {
    const count = 300_000;
    const before = memoryKept();
    const pieces = gatherPieces();
    for (let at = 0; at < count; at += 1) pieces.add(new Uint8Array([at]));
    expect(memoryKept() - before).toBeLessThan(24 * count);
    expect(pieces.whole().length).toBe(count);
  });

  it('are the only one itself where there is one, without a copy', () => {
    const pieces = gatherPieces();
    const only = Buffer.alloc(5000);
    pieces.add(only);
    expect(pieces.whole()).toBe(only);
  });
});
