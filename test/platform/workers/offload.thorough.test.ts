import { pathToFileURL } from 'node:url';
import { threadId } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOffload, type OffloadOwner } from '../../../src/platform/workers/offload.ts';
import { sharedBundle } from '../../support/shared-bundle.ts';
import { count, double, fail, forever, hoard, self, unknown } from './tasks.ts';

let offload: OffloadOwner;

beforeEach(async () => {
  // In JavaScript: compiling it would take each thread longer than all of its work.
  offload = createOffload(pathToFileURL(await sharedBundle('test/platform/workers/program.ts')));
});

afterEach(async () => {
  await offload[Symbol.asyncDispose]();
});

/** Work that goes on until it is ended, and has begun. */
async function begun(signal?: AbortSignal): Promise<{ readonly end: Promise<unknown> }> {
  let begin: () => void = () => undefined;
  const has = new Promise<void>((resolve) => (begin = resolve));
  const end = offload.run(forever, null, { onProgress: begin, ...(signal !== undefined && { signal }) });
  end.catch(() => undefined);
  await Promise.race([has, end]);
  return { end };
}

describe('work in threads', () => {
  it('is done elsewhere, and a thread that has done its work does the next', async () => {
    const first = await offload.run(self, null);
    expect(first.thread).not.toBe(threadId);
    expect(await offload.run(self, null)).toEqual({ thread: first.thread, heard: 2 });
  });

  it('is done in the same thread after a refusal, and in a new one after any other failure', async () => {
    const first = await offload.run(self, null);
    await expect(offload.run(self, 'refuse')).rejects.toMatchObject({ name: 'Problem', code: 'VALUE_INVALID' });
    expect(await offload.run(self, null)).toEqual({ thread: first.thread, heard: 3 });
    await expect(offload.run(self, 'break')).rejects.toThrow(new RangeError('out of range'));
    const later = await offload.run(self, null);
    expect(later.thread).not.toBe(first.thread);
    expect(later.heard).toBe(1);
  });

  it('tells how far it is, in order and before it is done', async () => {
    const told: number[] = [];
    expect(await offload.run(count, 5, { onProgress: (at) => told.push(at) })).toBe('counted to 5');
    expect(told).toEqual([1, 2, 3, 4, 5]);
  });

  it('passes on what goes in and out, where that is wanted', async () => {
    const bytes = Uint8Array.of(1, 2, 3);
    expect(await offload.run(double, bytes, { transfer: [bytes.buffer] })).toEqual(Uint8Array.of(2, 4, 6));
    expect(bytes.length).toBe(0);
  });

  it('fails as the work does, with the whole problem', async () => {
    await expect(offload.run(fail, 'problem')).rejects.toMatchObject({
      name: 'Problem',
      kind: 'conflict',
      code: 'VALUE_INVALID',
      message: 'This is odd.',
      fields: [{ path: 'name', message: 'is odd' }],
      retryAfterSeconds: 7,
    });
    await expect(offload.run(fail, 'error')).rejects.toThrow(new RangeError('out of range'));
    await expect(offload.run(fail, 'function')).rejects.toThrow('could not be cloned');
    await expect(offload.run(unknown, null)).rejects.toThrow('no thread does unknown');
  });

  it.each(['objects', 'text'] as const)(
    'ends with a problem when it takes too much memory: %s',
    { tags: 'thorough' },
    async (what) => {
      await expect(offload.run(hoard, what)).rejects.toMatchObject({
        kind: 'tooLarge',
        code: 'PAYLOAD_TOO_LARGE',
        message: 'Processing the content needs more than the 32 MiB of memory that it may use.',
      });
      expect(await offload.run(count, 1)).toBe('counted to 1');
    },
  );

  it('is ended in the middle by a signal, and its place is free', async () => {
    const stop = new AbortController();
    const { end } = await begun(stop.signal);
    stop.abort(new Error('enough'));
    await expect(end).rejects.toThrow('enough');
    const again = new AbortController();
    const second = await begun(again.signal);
    again.abort(new Error('enough again'));
    await expect(second.end).rejects.toThrow('enough again');
  });

  it('is not begun for a signal that is aborted already', async () => {
    await expect(offload.run(count, 1, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
  });

  it('waits for a place, gives it up with its signal, and is refused where too many wait', async () => {
    const stop = new AbortController();
    const first = await begun(stop.signal);
    const leaving = new AbortController();
    const second = offload.of('b').run(forever, null, { signal: leaving.signal });
    const ended = Promise.allSettled([second]);
    await expect(offload.of('b').run(forever, null)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'OVERLOADED',
      message: 'The server has too much work at the moment. Try again in a few seconds.',
    });
    leaving.abort(new Error('gone'));
    await ended;
    await expect(second).rejects.toThrow('gone');
    const third = offload.of('b').run(forever, null, { signal: leaving.signal });
    await expect(third).rejects.toThrow('gone');
    stop.abort(new Error('enough'));
    await expect(first.end).rejects.toThrow('enough');
  });

  it('ends with its owner', async () => {
    const { end } = await begun();
    await offload[Symbol.asyncDispose]();
    await expect(end).rejects.toThrow('the thread for forever ended before it answered');
  });
});
