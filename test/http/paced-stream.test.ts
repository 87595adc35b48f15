import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { paced, STREAM_BYTES } from '../../src/http/paced-stream.ts';
import { elapses } from '../support/real-time.ts';

const pace = { bytesPerSecond: 1000, graceMs: elapses(1000) };
/** of which the stream itself keeps nothing */
const stream = () => new PassThrough({ highWaterMark: 1 });

async function next(reading: AsyncGenerator<Uint8Array>): Promise<Uint8Array | undefined> {
  const { value, done } = await reading.next();
  return done === true ? undefined : value;
}

describe('a stream that is read piece by piece', () => {
  afterEach(() => void vi.useRealTimers());

  it('comes in its pieces, in order', async () => {
    const body = stream();
    const reading = paced(body, pace);
    const pieces = ['a', 'bc', 'd'.repeat(100_000), '', 'e'].map((text) => Buffer.from(text));
    for (const piece of pieces) body.write(piece);
    body.end();
    const found: Uint8Array[] = [];
    for await (const piece of reading) found.push(piece);
    expect(Buffer.concat(found).equals(Buffer.concat(pieces))).toBe(true);
    expect(found.length).toBeGreaterThan(1);
  });

  it.each([65_536, 1])('stops while its reader is busy, in pieces of %i bytes', async (size) => {
    const body = stream();
    const reading = paced(body, pace);
    const most = STREAM_BYTES / 4096;
    const first = next(reading);
    let written = 0;
    for (let at = 0; at < 100; at += 1) {
      body.write(Buffer.alloc(size), () => (written += 1));
      await setImmediate();
    }
    expect(await first).toHaveLength(size);
    expect(body.isPaused()).toBe(true);
    expect(written * Math.max(size, 4096)).toBeLessThanOrEqual(STREAM_BYTES);
    expect(written).toBeLessThanOrEqual(most);
    body.end();
    let rest = size;
    for await (const piece of reading) rest += piece.length;
    expect(rest).toBe(100 * size);
  });

  it('is not too slow when it has ended and its reader takes long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const body = stream();
    const reading = paced(body, pace);
    const first = next(reading);
    body.write(Buffer.from('a'));
    body.end(Buffer.from('b'));
    expect(await first).toEqual(Buffer.from('a'));
    for (let turn = 0; turn < 20; turn += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      await setImmediate();
    }
    expect(await next(reading)).toEqual(Buffer.from('b'));
    expect(await next(reading)).toBeUndefined();
  });

  it('is too slow when it stays away, and not while nobody reads', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const body = stream();
    const reading = paced(body, pace);
    const first = next(reading);
    body.write(Buffer.from('a'));
    await first;
    const second = next(reading);
    second.catch(() => undefined);
    for (let turn = 0; turn < 5; turn += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      await setImmediate();
    }
    await expect(second).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  });
});
