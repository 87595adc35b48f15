import { threadId } from 'node:worker_threads';
import { workplace, type WorkThread } from '../../../src/service/ports/task.ts';
import { workHere } from '../../../src/platform/workers/work-thread.ts';
import { Problem } from '../../../src/base/problem.ts';
import * as tasks from './tasks.ts';

let heard = 0;

workHere([
  workplace(tasks.double, async () => (bytes, { transfer }) => {
    const doubled = bytes.map((byte) => byte * 2);
    transfer.push(doubled.buffer);
    return doubled;
  }),
  workplace(tasks.count, async () => (to, { tell }: WorkThread<number>) => {
    for (let at = 1; at <= to; at += 1) tell(at);
    return `counted to ${to}`;
  }),
  workplace(tasks.fail, async () => (how) => {
    if (how === 'problem') {
      const fields = [{ path: 'name', message: 'is odd' }];
      throw new Problem('conflict', 'VALUE_INVALID', 'This is odd.', { fields, retryAfterSeconds: 7 });
    }
    if (how === 'error') throw new RangeError('out of range');
    return (() => undefined) as never;
  }),
  workplace(tasks.forever, async () => (_, { tell }: WorkThread<string>) => {
    tell('begun');
    for (;;);
  }),
  workplace(tasks.apart.double, async () => (each) => each.map((bytes) => bytes.map((byte) => byte * 2))),
  workplace(tasks.apart.hoard, async () => (what) => {
    // One allocation that doesn't fit, as of a text that has nothing but line feeds, or of JSON.
    if (what === 'lines') return '\n'.repeat(2 ** 25).split('\n').length;
    if (what === 'values') return (JSON.parse(`[${'[],'.repeat(2 ** 21)}[]]`) as unknown[]).length;
    const kept: unknown[] = [];
    for (let at = 0; ; at += 1) kept.push(what === 'text' ? `${at}`.padEnd(2 ** 20, 'x') + at : { at });
  }),
  workplace(tasks.self, async () => (how) => {
    heard += 1;
    if (how === 'refuse') throw new Problem('invalid', 'VALUE_INVALID', 'This is odd.');
    if (how === 'break') throw new RangeError('out of range');
    return { thread: threadId, process: process.pid, heard };
  }),
]);
