import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createByteBudget } from '../../src/http/byte-budget.ts';
import { readBody } from '../../src/http/json-body.ts';
import { openHouse } from '../support/house.ts';
import { engines } from '../support/stores.ts';
import { elapses, staysSo } from '../support/real-time.ts';

const bounds = { perAddress: 100, perAccount: 150, total: 400 };
const rateLimited = { kind: 'tooMany', code: 'RATE_LIMITED', retryAfterSeconds: 5 };
const overloaded = { kind: 'unavailable', code: 'OVERLOADED', retryAfterSeconds: 5 };

function caught(act: () => void): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('the budget for bytes', () => {
  it('collects young garbage after each 4 MiB that went by, whoever sent them', () => {
    let collections = 0;
    const budget = createByteBudget(bounds, () => (collections += 1));
    const streams = [1, 2].map((last) => budget.begin({ address: `203.0.113.${last}` }));
    for (let mebibytes = 1; mebibytes <= 8; mebibytes += 1) {
      streams[mebibytes % 2]?.pass(1024 ** 2);
      expect(collections).toBe(Math.floor(mebibytes / 4));
    }
    expect(budget.taken).toBe(0);
  });

  it('bounds what one address has under way, and gets back what requests took', () => {
    const budget = createByteBudget(bounds);
    const first = budget.begin({ address: '203.0.113.9' });
    first.take(60);
    const second = budget.begin({ address: '203.0.113.9' });
    expect(caught(() => second.take(41))).toMatchObject(rateLimited);
    second.take(40);
    expect(budget.taken).toBe(100);
    budget.begin({ address: '203.0.113.10' }).take(100);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    second.take(60);
    second[Symbol.dispose]();
    expect(budget.taken).toBe(100);
  });

  it('takes a network of IPv6 for one address', () => {
    const budget = createByteBudget(bounds);
    budget.begin({ address: '2001:db8::1' }).take(60);
    expect(caught(() => budget.begin({ address: '2001:db8::2' }).take(60))).toMatchObject(rateLimited);
    expect(caught(() => budget.begin({ address: '2001:db8:1::' }).take(60))).toBeUndefined();
  });

  it('bounds what one member has under way from wherever, and everybody together', () => {
    const budget = createByteBudget(bounds);
    const take = (address: string, memberId: string, bytes: number) =>
      caught(() => budget.begin({ address, memberId }).take(bytes));
    expect(take('203.0.113.1', 'a', 90)).toBeUndefined();
    expect(take('203.0.113.2', 'a', 61)).toMatchObject(rateLimited);
    expect(take('203.0.113.2', 'a', 60)).toBeUndefined();
    expect(take('local', 'b', 100)).toBeUndefined();
    expect(take('203.0.113.3', 'c', 51)).toMatchObject(overloaded);
    expect(take('203.0.113.3', 'c', 50)).toBeUndefined();
    expect(budget.taken).toBe(300);
  });

  it('keeps a quarter for those who have little on its way, however full the rest is', () => {
    const budget = createByteBudget({ perAddress: 256 * 200, perAccount: 256 * 200, total: 256 * 400 });
    const from = (address: string, memberId?: string) =>
      budget.begin({ address, ...(memberId !== undefined && { memberId }) });
    from('203.0.113.1').take(256 * 200);
    from('203.0.113.2').take(256 * 100);
    expect(caught(() => from('203.0.113.3').take(401))).toMatchObject(overloaded);
    const little = from('203.0.113.3');
    little.take(300);
    // What an address and a member have elsewhere is theirs as well.
    expect(caught(() => from('203.0.113.3').take(101))).toMatchObject(overloaded);
    little.take(100);
    expect(caught(() => little.take(1))).toMatchObject(overloaded);
    from('203.0.113.4', 'a').take(400);
    expect(caught(() => from('203.0.113.5', 'a').take(1))).toMatchObject(overloaded);
    for (let at = 0; at < 62; at += 1) from(`198.51.100.${at}`).take(400);
    expect(caught(() => from('192.0.2.1').take(400))).toMatchObject(overloaded);
    expect(budget.taken).toBe(256 * 400);
  });

  it('lets one request alone be larger than the bound, in one piece or in many', () => {
    for (const pieces of [[500], [90, 90, 90, 90, 90]]) {
      const budget = createByteBudget(bounds);
      const held = budget.begin({ address: '203.0.113.9', memberId: 'a' });
      for (const bytes of pieces) held.take(bytes);
      expect(caught(() => budget.begin({ address: '203.0.113.9' }).take(1))).toMatchObject(rateLimited);
      held[Symbol.dispose]();
      expect(budget.taken).toBe(0);
    }
  });
});

/** A request as Node's server hands it on. */
function served(stream: PassThrough, headers: Record<string, string>): Request {
  const request = new Request('http://house.test/api/user/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  });
  return Object.assign(request, { runtime: { name: 'node', node: { req: stream } }, ip: '203.0.113.9' });
}

describe('a body', () => {
  const pace = { bytesPerSecond: 1000, graceMs: elapses(100) };

  it('that comes too slowly is given up', async () => {
    for (const headers of [{ 'content-length': '1000' }, {}] as const satisfies Record<string, string>[]) {
      const stream = new PassThrough();
      stream.write('x'.repeat(99));
      const reading = readBody(served(stream, headers), 1000, {
        pace,
        take: () => undefined,
        pass: () => undefined,
      });
      await expect(reading).rejects.toMatchObject({ kind: 'invalid', code: 'REQUEST_TIMEOUT' });
      expect([stream.listenerCount('data'), stream.isPaused()]).toEqual([0, false]);
    }
  });

  it('is waited for while it comes fast enough, and while nobody reads it', async () => {
    const stream = new PassThrough();
    const reading = readBody(served(stream, { 'content-length': '2000' }), 2000, {
      pace,
      take: () => undefined,
      pass: () => undefined,
    });
    let isOver = false;
    const over = (): void => void (isOver = true);
    reading.then(over, over);
    stream.pause();
    await staysSo(() => expect(isOver).toBe(false), 500);
    stream.resume();
    stream.end('x'.repeat(2000));
    expect((await reading).length).toBe(2000);
  });

  it('in chunks is refused with the first that is too much', async () => {
    const stream = new PassThrough();
    const budget = createByteBudget(bounds);
    budget.begin({ address: '203.0.113.9' }).take(50);
    const held = budget.begin({ address: '203.0.113.9' });
    const reading = readBody(served(stream, {}), 1000, {
      pace,
      take: (bytes) => held.take(bytes),
      pass: () => undefined,
    });
    stream.write('x'.repeat(50));
    stream.write('x');
    await expect(reading).rejects.toMatchObject(rateLimited);
    expect(budget.taken).toBe(100);
  });

  it('counts until its request is answered, whatever the answer', async () => {
    const bytes = { perAddress: 1024 ** 2, perAccount: 1024 ** 2, total: 1024 ** 2 };
    await using usual = await openHouse(engines[0]!);
    const { limits } = usual.ctx.config;
    await using house = await openHouse(engines[0]!, { config: { limits: { ...limits, bytes } } });
    const first = new PassThrough();
    const slow = house.fetch(served(first, { 'content-length': '700000' }));
    const second = () =>
      house.fetch(served(new PassThrough().end(' '.repeat(700_000)), { 'content-length': '700000' }));
    await expect.poll(async () => (await second()).status).toBe(429);
    const refused = await second();
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toMatchObject({ error: 'RATE_LIMITED' });
    first.end('{'.repeat(700_000));
    expect((await slow).status).toBe(400);
    expect((await second()).status).toBe(400);
  });
});
