import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { execaNode } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendInPieces } from '../../../src/platform/workers/pieces.ts';
import { createOffload, type OffloadOwner } from '../../../src/platform/workers/offload.ts';
import { deferred } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { sharedBundle } from '../../support/shared-bundle.ts';
import { apart } from './tasks.ts';

let offload: OffloadOwner;
beforeAll(async () => {
  offload = createOffload(pathToFileURL(await sharedBundle('test/platform/workers/program.ts')));
});
afterAll(async () => await offload[Symbol.asyncDispose]());

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('work in a process of its own', () => {
  it('is done there, one piece after the other', async () => {
    const first = await offload.run(apart.self, null);
    expect(first.process).not.toBe(process.pid);
    await expect(offload.run(apart.self, 'refuse')).rejects.toMatchObject({ name: 'Problem', code: 'VALUE_INVALID' });
    expect(await offload.run(apart.self, null)).toMatchObject({ process: first.process, heard: 3 });
    await expect(offload.run(apart.self, 'break')).rejects.toThrow(new RangeError('out of range'));
    expect((await offload.run(apart.self, null)).process).not.toBe(first.process);
  });

  it('tells how far it is, and fails as the work does', async () => {
    const told: number[] = [];
    expect(await offload.run(apart.count, 5, { onProgress: (at) => told.push(at) })).toBe('counted to 5');
    expect(told).toEqual([1, 2, 3, 4, 5]);
    await expect(offload.run(apart.fail, 'problem')).rejects.toMatchObject({
      name: 'Problem',
      kind: 'conflict',
      fields: [{ path: 'name', message: 'is odd' }],
      retryAfterSeconds: 7,
    });
    await expect(offload.run(apart.fail, 'function')).rejects.toThrow('could not be cloned');
  });

  it('answers with bytes that have memory of their own', async () => {
    const answer = await offload.run(apart.double, [Uint8Array.of(1, 2), Uint8Array.of(3)]);
    expect(answer).toEqual([Uint8Array.of(2, 4), Uint8Array.of(6)]);
    expect(answer.map(({ buffer, length }) => buffer.byteLength === length)).toEqual([true, true]);
  });

  it.each(['lines', 'values', 'objects', 'text'] as const)(
    'that runs out of memory is refused, and this process goes on (%s)',
    async (what) => {
      await expect(offload.run(apart.hoard, what)).rejects.toMatchObject({
        name: 'Problem',
        kind: 'tooLarge',
        code: 'PAYLOAD_TOO_LARGE',
        message: 'Processing the content needs more than the 32 MiB of memory that it may use.',
      });
      expect(await offload.run(apart.count, 1)).toBe('counted to 1');
    },
  );

  it('ends at once when nobody waits for it', async () => {
    const gone = new AbortController();
    const given = offload.run(apart.forever, null, {
      signal: gone.signal,
      onProgress: () => gone.abort(new Error('gone')),
    });
    await expect(given).rejects.toThrow('gone');
  });

  it('ends with whoever asked', async () => {
    await using own = createOffload(pathToFileURL(await sharedBundle('test/platform/workers/program.ts')));
    const { process: pid } = await own.run(apart.self, null);
    expect(isRunning(pid)).toBe(true);
    await own[Symbol.asyncDispose]();
    await eventually(() => expect(isRunning(pid)).toBe(false));
  });

  it('is waited for by whoever ends it, if they have nothing else to do', async () => {
    const [asking, work] = ['asking', 'program'].map((name) => sharedBundle(`test/platform/workers/${name}.ts`));
    const { stdout, exitCode } = await execaNode(await asking!, [await work!], { reject: false });
    expect([stdout, exitCode]).toEqual(['counted to 3, and ended', 0]);
  });

  it('that is ended under way is not taken for work that needs too much memory', async () => {
    await using own = createOffload(pathToFileURL(await sharedBundle('test/platform/workers/program.ts')));
    const begun = deferred();
    const given = own.run(apart.forever, null, { onProgress: begun.resolve }).catch((error: unknown) => error);
    await begun.promise;
    await own[Symbol.asyncDispose]();
    expect(await given).toEqual(new Error('the thread for forever ended before it answered'));
  });

  it('ends when whoever asked is gone without a word', async () => {
    const child = fork(await sharedBundle('test/platform/workers/program.ts'), {
      execArgv: [],
      serialization: 'advanced',
      silent: true,
    });
    const asked = { memory: 32, asked: { name: apart.forever.name, input: null } };
    await sendInPieces(asked, (sent, done) => child.send(sent, done));
    await once(child, 'message');
    // Ctrl-C in a terminal reaches it too, and is none of its business.
    child.kill('SIGINT');
    const gone = once(child, 'exit');
    child.disconnect();
    expect(await gone).toEqual([0, null]);
  });

  it('gets nothing of the environment', { tags: 'needs-system' }, async () => {
    const { process: pid } = await offload.run(apart.self, null);
    if (process.platform !== 'linux') return;
    const names = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').map((line) => line.split('=')[0]);
    expect(names.filter((name) => name !== '' && !name?.startsWith('NODE_CHANNEL'))).toEqual([]);
  });
});
