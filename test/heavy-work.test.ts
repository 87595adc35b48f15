import { describe, expect, it } from 'vitest';
import { heavyWork } from '../src/heavy-work.ts';

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

  it('gives the place of work that fails to the next', async () => {
    const heavy = heavyWork({ atOnce: 1, queued: 5 });
    const failing = heavy.run(() => Promise.reject(new Error('no')));
    const next = heavy.run(() => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
    expect([heavy.running, heavy.waiting]).toEqual([0, 0]);
  });
});
