import { describe, expect, it } from 'vitest';
import { createOffload } from '../../../src/platform/workers/offload.ts';
import { beforeEnd, inNative, newThreadState } from '../../../src/platform/workers/thread-state.ts';
import { protectTask } from '../../../src/services/passvault/transfer/export/protect-task.ts';
import { someMoment, staysSo } from '../../support/real-time.ts';
import { inStage } from '../../support/stage.ts';

const job = { json: '{}', password: 'password of the file' };

describe('a thread in which an addon works', () => {
  it('is not ended before the addon has finished: its process would end with it', { tags: 'thorough' }, async () => {
    await using offload = createOffload();
    for (const delay of inStage([15, 35], [15, 35], [10, 20, 30, 40])) {
      // This thread has loaded all, so the next key is derived at once.
      await offload.run(protectTask, job);
      const stop = new AbortController();
      const given = offload.of(`member ${delay}`).run(protectTask, job, { signal: stop.signal });
      const ended = Promise.allSettled([given]);
      await someMoment(delay);
      stop.abort(new Error('given up'));
      expect(await ended).toMatchObject([{ status: 'rejected', reason: { message: 'given up' } }]);
    }
    await someMoment(200);
    expect(JSON.parse(await offload.run(protectTask, job))).toMatchObject({ passwordProtected: true });
  });

  it('is waited for by whoever ends it, and begins nothing afterwards', async () => {
    const state = newThreadState();
    let finish = (): void => {};
    const events: string[] = [];
    const native = inNative(state, async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      events.push('finished');
    });
    const ended = beforeEnd(state, () => false).then(() => events.push('ended'));
    await staysSo(() => expect(events).toEqual([]), 30);
    finish();
    await Promise.all([native, ended]);
    expect(events).toEqual(['finished', 'ended']);
    await expect(inNative(state, async () => events.push('again'))).rejects.toThrow('the thread is ending');
    expect(events).toHaveLength(2);
  });

  it('is not waited for when it is gone', async () => {
    const state = newThreadState();
    void inNative(state, () => new Promise(() => {}));
    await expect(beforeEnd(state, () => true)).resolves.toBeUndefined();
  });
});
