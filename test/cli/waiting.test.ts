import { cursorTo, clearLine, moveCursor } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { describeProgress, waitFor, type Teller } from '../../src/cli/kit/waiting.ts';
import type { Terminal } from '../../src/cli/kit/terminal.ts';
import { slowly, staysSo, until } from '../support/real-time.ts';

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

/** The timer of a spinner, which a test lets run out. */
function handTimer() {
  const waiting = new Set<() => void>();
  return {
    whenLong(action: () => void) {
      waiting.add(action);
      return () => void waiting.delete(action);
    },
    runsOut() {
      for (const action of waiting) action();
      waiting.clear();
    },
    waiting: () => waiting.size,
  };
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
        await staysSo(() => expect(written()).toBe(before), 200);
      });
      return 42;
    });
    expect(answer).toBe(42);
    const after = written();
    await staysSo(() => expect(written()).toBe(after), 150);
  });

  it('comes to its end on a terminal that does not know its width', async () => {
    const { terminal: tty, written } = terminal(true, 0);
    const timer = handTimer();
    const work = async ({ report }: Teller) => {
      timer.runsOut();
      for (let done = 0; done < 6; done += 1) {
        report({ what: 'rows', done, total: 6 });
        await slowly(20);
      }
      return 42;
    };
    expect(await waitFor(tty, 'Working', work, timer.whenLong)).toBe(42);
    expect([timer.waiting(), written()]).toEqual([0, '']);
  });

  it('is not told where no terminal is, and not when it is over at once', async () => {
    const timer = handTimer();
    const pipe = terminal(false);
    const long = async () => {
      timer.runsOut();
      return await slowly(100, 1);
    };
    expect(await waitFor(pipe.terminal, 'Working', long, timer.whenLong)).toBe(1);
    // Its time is not over before the work is.
    const tty = terminal(true);
    expect(await waitFor(tty.terminal, 'Working', slowly(10, 2), timer.whenLong)).toBe(2);
    const failing = waitFor(tty.terminal, 'Working', Promise.reject(new Error('no')), timer.whenLong);
    await expect(failing).rejects.toThrow('no');
    expect(timer.waiting()).toBe(0);
    timer.runsOut();
    await staysSo(() => expect(pipe.written() + tty.written()).toBe(''), 100);
  });

  it('has a bar where the end is known', () => {
    expect(describeProgress({ what: 'rows', done: 5, total: 0 })).toBe('rows: 5');
    expect(describeProgress({ what: 'rows', done: 0, total: 0 })).toBe('rows');
    expect(describeProgress({ what: 'rows', done: 3, total: 2 })).toBe(`${'█'.repeat(24)} 100 %  rows`);
    expect(describeProgress({ what: 'rows', done: 1, total: 3 })).toBe(`${'█'.repeat(8)}${'░'.repeat(16)}  33 %  rows`);
  });
});
