import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AnswerUnfit, getFrom } from '../../../src/platform/outbound/get.ts';
import { OutgoingRefused } from '../../../src/platform/outbound/post.ts';
import { openOuterWorld, type OuterWorld } from '../../support/outer-world.ts';
import { elapses } from '../../support/real-time.ts';

const KIB = 1024;
const getting = {
  headers: { accept: 'text/calendar' },
  maxBytes: 64 * KIB,
  timeoutMs: 60_000,
  signal: new AbortController().signal,
};
const get = async ({ outgoing }: OuterWorld, url: string, more: Partial<typeof getting> = {}) =>
  await getFrom(outgoing, url, { ...getting, ...more });
const text = (body: Uint8Array | undefined) => Buffer.from(body ?? []).toString();

describe('what strangers answer', () => {
  it('is read, plain or packed, with what names it', async () => {
    await using world = await openOuterWorld();
    const named = { etag: '"a"', 'last-modified': 'Thu, 15 Jan 2026 12:00:00 GMT' };
    world.answers.set('/plain', { headers: named, body: 'hello' });
    world.answers.set('/packed', { headers: { 'content-encoding': 'GZIP' }, body: gzipSync('hello') });
    expect(await get(world, world.url('/plain'))).toMatchObject({
      status: 200,
      etag: '"a"',
      lastModified: named['last-modified'],
    });
    for (const path of ['/plain', '/packed']) expect(text((await get(world, world.url(path))).body)).toBe('hello');
    expect(await get(world, world.url('/nothing'))).toMatchObject({ status: 404, body: undefined });
    expect(world.received[0]?.headers).toMatchObject({
      accept: 'text/calendar',
      'accept-encoding': 'gzip',
      'user-agent': 'conclave',
    });
  });

  it('leads elsewhere only to addresses that are allowed by themselves', async () => {
    await using world = await openOuterWorld();
    world.answers.set('/end', { body: 'here' });
    const to = (path: string, location: string) => world.answers.set(path, { status: 302, headers: { location } });
    to('/relative', 'end#part');
    to('/absolute', world.url('/relative'));
    expect(text((await get(world, world.url('/absolute'))).body)).toBe('here');
    to('/inner', world.innerUrl('/end'));
    to('/number', `https://127.0.0.2:${world.port}/end`);
    to('/plain', `http://calendars.example.net:${world.port}/end`);
    to('/user', `https://me:word@calendars.example.net:${world.port}/end`);
    to('/broken', 'https://');
    to('/circle', '/circle');
    const before = world.received.filter(({ path }) => path === '/end').length;
    for (const path of ['/inner', '/number', '/plain', '/user', '/broken', '/circle'])
      await expect(get(world, world.url(path)), path).rejects.toBeInstanceOf(OutgoingRefused);
    await expect(get(world, world.innerUrl('/end'))).rejects.toBeInstanceOf(OutgoingRefused);
    expect(world.received.filter(({ path }) => path === '/end')).toHaveLength(before);
    expect(world.received.filter(({ path }) => path === '/circle')).toHaveLength(6);
    // The name is resolved again for each of them.
    to('/again', world.url('/end'));
    world.answers.set('/again', () => {
      world.resolveTo(['10.0.0.1']);
      return { status: 302, headers: { location: '/end' } };
    });
    await expect(get(world, world.url('/again'))).rejects.toBeInstanceOf(OutgoingRefused);
  });

  it('has a bound, as it comes and unpacked', async () => {
    await using world = await openOuterWorld();
    const { answers } = world;
    answers.set('/most', { body: Buffer.alloc(64 * KIB) });
    answers.set('/said', { headers: { 'content-length': `${64 * KIB + 1}` }, body: Buffer.alloc(64 * KIB + 1) });
    answers.set('/long', { body: Array.from({ length: 65 }, () => Buffer.alloc(KIB)) });
    const packed = { 'content-encoding': 'gzip' };
    answers.set('/bomb', { headers: packed, body: gzipSync(Buffer.alloc(30 * KIB * KIB)) });
    // Members of nothing: as many bytes as wanted that unpack to none.
    answers.set('/nothing', { headers: packed, body: Array.from({ length: 4_000 }, () => gzipSync('')) });
    answers.set('/other', { headers: { 'content-encoding': 'br' }, body: 'x' });
    expect((await get(world, world.url('/most'))).body).toHaveLength(64 * KIB);
    answers.set('/damaged', { headers: packed, body: 'this is not gzip' });
    answers.set('/half', { headers: packed, body: gzipSync('hello').subarray(0, 12) });
    for (const path of ['/said', '/long', '/bomb', '/nothing', '/other', '/damaged', '/half'])
      await expect(get(world, world.url(path)), path).rejects.toBeInstanceOf(AnswerUnfit);
  });

  it('counts only when it is whole, and comes in time', async () => {
    await using world = await openOuterWorld();
    world.answers.set('/cut', { headers: { 'content-length': '100' }, body: 'the beginning', breaksOff: true });
    await expect(get(world, world.url('/cut'))).rejects.toThrow(/aborted|ECONNRESET/);
    world.answers.set('/slow', 'hang');
    await expect(get(world, world.url('/slow'), { timeoutMs: elapses(300) })).rejects.toThrow(/aborted|timeout/i);
    const abort = new AbortController();
    const asked = get(world, world.url('/slow'), { signal: abort.signal });
    abort.abort();
    await expect(asked).rejects.toThrow(/aborted/);
  });
});
