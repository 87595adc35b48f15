import { cursorTo, clearLine, moveCursor } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { describeProgress, waitFor } from '../../src/cli/kit/waiting.ts';
import type { Terminal } from '../../src/cli/kit/terminal.ts';

function terminal(isTTY: boolean, columns = 80): { terminal: Terminal; written(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      text += chunk.toString();
      done();
    },
  });
  const stderr = Object.assign(stream, {
    isTTY,
    columns,
    cursorTo: (x: number) => cursorTo(stream, x),
    clearLine: (direction: -1 | 0 | 1) => clearLine(stream, direction),
    moveCursor: (x: number, y: number) => moveCursor(stream, x, y),
  });
  const stdin = Object.assign(new PassThrough(), { isTTY });
  return { terminal: { stdin, stdout: stderr, stderr, env: {} }, written: () => text };
}

/** Until something has been written, since a spinner comes when it is loaded. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

describe('waiting', () => {
  it('is told on a terminal when it takes long, step by step, and not while something is asked', async () => {
    const { terminal: tty, written } = terminal(true);
    const answer = await waitFor(tty, 'Working', async ({ report, aside }) => {
      await until(() => written().includes('Working'));
      report({ what: 'rows', done: 1, total: 4 });
      await until(() => written().includes('25 %  rows'));
      await aside(async () => {
        const before = written();
        await sleep(200);
        expect(written()).toBe(before);
      });
      return 42;
    });
    expect(answer).toBe(42);
    const after = written();
    await sleep(150);
    expect(written()).toBe(after);
  });

  it('comes to its end on a terminal that does not know its width', async () => {
    const { terminal: tty, written } = terminal(true, 0);
    const answer = await waitFor(tty, 'Working', async ({ report }) => {
      for (let done = 0; done < 6; done += 1) {
        report({ what: 'rows', done, total: 6 });
        await sleep(100);
      }
      return 42;
    });
    expect([answer, written()]).toEqual([42, '']);
  });

  it('is not told where no terminal is, and not when it is over at once', async () => {
    const pipe = terminal(false);
    expect(await waitFor(pipe.terminal, 'Working', sleep(400, 1))).toBe(1);
    const tty = terminal(true);
    expect(await waitFor(tty.terminal, 'Working', sleep(10, 2))).toBe(2);
    await expect(waitFor(tty.terminal, 'Working', Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(pipe.written() + tty.written()).toBe('');
  });

  it('has a bar where the end is known', () => {
    expect(describeProgress({ what: 'rows', done: 5, total: 0 })).toBe('rows: 5');
    expect(describeProgress({ what: 'rows', done: 0, total: 0 })).toBe('rows');
    expect(describeProgress({ what: 'rows', done: 3, total: 2 })).toBe(`${'█'.repeat(24)} 100 %  rows`);
    expect(describeProgress({ what: 'rows', done: 1, total: 3 })).toBe(`${'█'.repeat(8)}${'░'.repeat(16)}  33 %  rows`);
  });
});
