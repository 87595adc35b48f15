import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, uint32, utf8 } from '../../../src/crypto/bytes.ts';
import { memoryKept } from '../../support/memory-kept.ts';
import { FrameError, frameOf, frameReader } from '../../../src/platform/network/frames.ts';

/** Feeds a frame in pieces; the value, or the fault. */
function readIn(pieces: readonly Uint8Array[], maxBytes = 1_000_000): { value: unknown } | string | undefined {
  const reader = frameReader(maxBytes);
  try {
    for (const piece of pieces) {
      const found = reader.push(piece);
      if (found !== undefined) return found;
    }
    return undefined;
  } catch (error) {
    if (error instanceof FrameError) return error.fault;
    throw error;
  }
}

describe('frames', () => {
  it('give back any JSON, however they are cut', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.integer({ min: 1, max: 9 })), (value, cuts) => {
        const whole = frameOf(value);
        const pieces: Uint8Array[] = [];
        let at = 0;
        for (const size of cuts) {
          pieces.push(whole.subarray(at, at + size));
          at += size;
        }
        pieces.push(whole.subarray(at));
        const sent = pieces.filter((piece) => piece.length > 0);
        expect(readIn(sent)).toEqual({ value: JSON.parse(JSON.stringify(value)) as unknown });
      }),
    );
  });

  it('that come byte by byte take up about what they hold', () => {
    const size = 300_000;
    const text = JSON.stringify('x'.repeat(size));
    const reader = frameReader(1_000_000);
    const before = memoryKept();
    for (const byte of concat(uint32(text.length), utf8(text.slice(0, -1)))) reader.push(new Uint8Array([byte]));
    expect(memoryKept() - before).toBeLessThan(24 * size);
    expect(reader.push(utf8('"'))).toEqual({ value: 'x'.repeat(size) });
  });

  it('are refused as soon as their length is known to be too much', () => {
    expect(readIn([uint32(1_000_001)])).toBe('size');
    expect(readIn([uint32(0xff_ff_ff_ff).subarray(0, 3)])).toBeUndefined();
    expect(readIn([uint32(11), utf8('1234567890')], 10)).toBe('size');
  });

  it('are refused when they hold no JSON, or more than one value', () => {
    expect(readIn([concat(uint32(2), utf8('{]'))])).toBe('format');
    expect(readIn([concat(uint32(2), new Uint8Array([0xff, 0xfe]))])).toBe('format');
    expect(readIn([concat(uint32(0))])).toBe('format');
    expect(readIn([concat(frameOf(1), frameOf(2))])).toBe('format');
  });

  it('refuse garbage without throwing anything else', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 })), (pieces) => {
        const found = readIn(pieces, 1_000);
        expect(found === undefined || found === 'size' || found === 'format' || typeof found === 'object').toBe(true);
      }),
    );
  });
});
