import { getEventListeners, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { heavyWork } from '../../src/service/heavy-work.ts';
import type { Problem } from '../../src/base/problem.ts';

interface Gate {
  readonly work: () => Promise<string>;
  readonly open: (name: string) => void;
}

function gate(started: string[], name: string): Gate {
  let open: (name: string) => void = () => undefined;
  const opened = new Promise<string>((resolve) => (open = resolve));
  return {
    open,
    async work() {
      started.push(name);
      return await opened;
    },
  };
}

describe('heavy work', () => {
  it('runs so many at once, lets so many wait in order, and turns the rest away', async () => {
    const heavy = heavyWork({ atOnce: 2, queued: 2 });
    const started: string[] = [];
    const gates = ['a', 'b', 'c', 'd'].map((name) => gate(started, name));
    const results = gates.map(({ work }) => heavy.run(work));
    await expect(heavy.run(() => Promise.resolve('e'))).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'OVERLOADED',
      retryAfterSeconds: expect.any(Number),
    });
    expect([started, heavy.running, heavy.waiting]).toEqual([['a', 'b'], 2, 2]);
    gates[1]?.open('b');
    expect(await results[1]).toBe('b');
    expect([started, heavy.running, heavy.waiting]).toEqual([['a', 'b', 'c'], 2, 1]);
    for (const one of gates) one.open('x');
    await Promise.all(results);
    expect([started, heavy.running, heavy.waiting]).toEqual([['a', 'b', 'c', 'd'], 0, 0]);
    expect(await heavy.run(() => Promise.resolve('f'))).toBe('f');
  });

  it('serves everybody who waits in turn, however much somebody wants', async () => {
    const heavy = heavyWork({ atOnce: 1, queued: 10 });
    const started: string[] = [];
    const first = gate(started, 'first');
    const all = [heavy.run(first.work)];
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) {
      all.push(heavy.of(name.slice(0, 1)).run(() => Promise.resolve(started.push(name)).then(() => name)));
    }
    first.open('first');
    await Promise.all(all);
    expect(started).toEqual(['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('turns away the last of whoever has most waiting, not those who have less', async () => {
    const heavy = heavyWork({ atOnce: 1, queued: 4 });
    const first = gate([], 'first');
    const running = heavy.run(first.work);
    const outcomes: string[] = [];
    const want = (name: string) =>
      heavy
        .of(name.slice(0, 1))
        .run(() => Promise.resolve())
        .then(
          () => void outcomes.push(`${name} done`),
          (error: unknown) => void outcomes.push(`${name} ${(error as Problem).code}`),
        );
    const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3', 'c1', 'd1'].map(want);
    await expect.poll(() => outcomes.length).toBe(6);
    // a5 and b3 came when nobody had more; the others gave way to b1, b2, c1 and d1.
    expect(outcomes.toSorted()).toEqual(['a2', 'a3', 'a4', 'a5', 'b2', 'b3'].map((name) => `${name} OVERLOADED`));
    expect([heavy.running, heavy.waiting]).toEqual([1, 4]);
    const fifth = want('e1');
    await fifth;
    expect(outcomes.at(-1)).toBe('e1 OVERLOADED');
    first.open('first');
    await Promise.all([running, ...all]);
    expect(outcomes.slice(7)).toEqual(['a1 done', 'b1 done', 'c1 done', 'd1 done']);
    expect([heavy.running, heavy.waiting]).toEqual([0, 0]);
  });

  it('gives the place of work that fails to the next', async () => {
    const heavy = heavyWork({ atOnce: 1, queued: 5 });
    const failing = heavy.run(() => Promise.reject(new Error('no')));
    const next = heavy.run(() => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
    expect([heavy.running, heavy.waiting]).toEqual([0, 0]);
  });

  it('gives what waits up with its signal, and what has begun goes on', async () => {
    const heavy = heavyWork({ atOnce: 1, queued: 5 });
    const started: string[] = [];
    const first = gate(started, 'first');
    const leaving = new AbortController();
    const running = heavy.run(first.work, leaving.signal);
    const second = heavy.of('a').run(gate(started, 'second').work, leaving.signal);
    const third = heavy.of('a').run(() => Promise.resolve('third'));
    leaving.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    await expect(heavy.run(first.work, leaving.signal)).rejects.toThrow('gone');
    expect([started, heavy.running, heavy.waiting]).toEqual([['first'], 1, 1]);
    first.open('first');
    expect(await Promise.all([running, third])).toEqual(['first', 'third']);
    expect([started, heavy.running, heavy.waiting]).toEqual([['first'], 0, 0]);
  });

  it('leaves nothing with a signal, which may live for as long as the server', async () => {
    const heavy = heavyWork({ atOnce: 1, queued: 5 });
    const { signal } = new AbortController();
    const first = gate([], 'first');
    const running = heavy.run(first.work, signal);
    const waiting = [1, 2, 3].map((one) => heavy.of('a').run(() => Promise.resolve(one), signal));
    expect(getEventListeners(signal, 'abort')).toHaveLength(3);
    first.open('first');
    expect(await Promise.all([running, ...waiting])).toEqual(['first', 1, 2, 3]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('lets many wait with one signal, without a warning of Node', async () => {
    const heavy = heavyWork({ atOnce: 1, queued: 20 });
    const { signal } = new AbortController();
    const first = gate([], 'first');
    const running = heavy.run(first.work, signal);
    const warned = once(process, 'warning');
    const waiting = Array.from({ length: 20 }, async (_, one) => await heavy.run(() => Promise.resolve(one), signal));
    // Warnings come in the order of their causes.
    process.emitWarning('the last of this test');
    expect(String((await warned)[0])).toContain('the last of this test');
    first.open('first');
    expect(await Promise.all([running, ...waiting])).toHaveLength(21);
  });

  it('leaves nothing with the signal of what was given up or turned away', async () => {
    const heavy = heavyWork({ atOnce: 1, queued: 2 });
    const [staying, leaving] = [new AbortController(), new AbortController()];
    const first = gate([], 'first');
    const running = heavy.run(first.work);
    const given = heavy.of('a').run(() => Promise.resolve('given'), leaving.signal);
    const turned = heavy.of('a').run(() => Promise.resolve('turned'), staying.signal);
    const other = heavy.of('b').run(() => Promise.resolve('other'), staying.signal);
    const refused = Promise.allSettled([turned, given]);
    expect(getEventListeners(staying.signal, 'abort')).toHaveLength(1);
    leaving.abort(new Error('gone'));
    expect(await refused).toMatchObject([{ reason: { code: 'OVERLOADED' } }, { reason: { message: 'gone' } }]);
    expect(getEventListeners(leaving.signal, 'abort')).toHaveLength(0);
    first.open('first');
    expect(await Promise.all([running, other])).toEqual(['first', 'other']);
    expect(getEventListeners(staying.signal, 'abort')).toHaveLength(0);
  });

  it('has one of each owner where there may be no more, running or waiting, until it ended in whatever way', async () => {
    const heavy = heavyWork({ atOnce: 1, queued: 5, onePerOwner: 'One of yours runs.' });
    const first = gate([], 'first');
    const refused = { kind: 'tooMany', code: 'RATE_LIMITED', message: expect.stringContaining('One of yours runs.') };
    const running = heavy.of('a').run(first.work);
    await expect(heavy.of('a').run(first.work)).rejects.toMatchObject(refused);
    const leaving = new AbortController();
    const waiting = heavy.of('b').run(first.work, leaving.signal);
    const ended = Promise.allSettled([waiting]);
    await expect(heavy.of('b').run(first.work)).rejects.toMatchObject(refused);
    leaving.abort(new Error('gone'));
    await ended;
    await expect(waiting).rejects.toThrow('gone');
    const again = heavy.of('b').run(() => Promise.reject(new Error('no')));
    // The node's own is nobody's.
    const own = [heavy.run(() => Promise.resolve(1)), heavy.run(() => Promise.resolve(2))];
    first.open('first');
    await expect(again).rejects.toThrow('no');
    expect(await Promise.all([running, ...own])).toEqual(['first', 1, 2]);
    expect(await heavy.of('b').run(() => Promise.resolve('b'))).toBe('b');
  });
});
