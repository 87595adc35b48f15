import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readBody, readJsonObject } from '../../src/http/json-body.ts';
import { createOffload } from '../../src/platform/workers/offload.ts';
import type { Offload } from '../../src/service/ports/workers.ts';
import type { Problem } from '../../src/base/problem.ts';

const limit = 1000;
const offload = createOffload();

afterAll(async () => {
  await offload[Symbol.asyncDispose]();
});

function post(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Request {
  return new Request('http://node.test/', { method: 'POST', body, headers, duplex: 'half' });
}

function stream(...chunks: readonly (Uint8Array | Error)[]): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next === undefined) controller.close();
      else if (next instanceof Error) controller.error(next);
      else controller.enqueue(next);
    },
  });
}

async function refusal(request: Request): Promise<string> {
  return await readJsonObject(request, limit, offload).then(
    () => 'accepted',
    (error: unknown) => `${(error as Problem).kind} ${(error as Problem).code}`,
  );
}

describe('a JSON body', () => {
  it('comes out as it went in', async () => {
    const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(object, async (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(await readJsonObject(post(text), 1_000_000, offload))).toBe(text);
      }),
    );
  });

  it('may be left out', async () => {
    expect(await readJsonObject(post(null, {}), limit, offload)).toEqual({});
    expect(await readJsonObject(post('', { 'content-length': '0' }), limit, offload)).toEqual({});
    expect(await readJsonObject(post(stream(), {}), limit, offload)).toEqual({});
  });

  it('may begin with a byte order mark, as some systems write it', async () => {
    expect(await readJsonObject(post('\ufeff{"a":1}'), limit, offload)).toEqual({ a: 1 });
  });

  it.each([
    ['application/json', 'accepted'],
    ['Application/JSON ; charset=utf-8', 'accepted'],
    ['text/plain', 'unsupported UNSUPPORTED_MEDIA_TYPE'],
    ['application/x-www-form-urlencoded', 'unsupported UNSUPPORTED_MEDIA_TYPE'],
    ['application/jsonp', 'unsupported UNSUPPORTED_MEDIA_TYPE'],
    ['text/plain, application/json', 'unsupported UNSUPPORTED_MEDIA_TYPE'],
    ['', 'unsupported UNSUPPORTED_MEDIA_TYPE'],
  ])('sent as %j is %s', async (type, wanted) => {
    expect(await refusal(post('{"a":1}', { 'content-type': type }))).toBe(wanted);
  });

  it.each([
    '{',
    'nothing',
    '{"a":1}x',
    "{'a':1}",
    '{"a":01}',
    '{"a":NaN}',
    '{"a":"\u0001"}',
    ' ',
    '[]',
    'null',
    '1',
    '"text"',
    'true',
    '{"a":1,"a":2}',
    '{"a":{"b":1,"\\u0062":2}}',
  ])('is refused: %j', async (text) => {
    expect(await refusal(post(text))).toBe('invalid VALIDATION_ERROR');
  });

  it.each([
    ['a byte that never occurs', [0xff]],
    ['a lone continuation', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a sequence cut short', [0xe2, 0x82]],
  ])('is refused where it is not UTF-8: %s', async (_, bytes) => {
    expect(await refusal(post(new Uint8Array([...Buffer.from('{"a":"'), ...bytes, ...Buffer.from('"}')])))).toBe(
      'invalid VALIDATION_ERROR',
    );
  });

  it('with hostile names changes no prototype', async () => {
    const body = await readJsonObject(
      post('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
      limit,
      offload,
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(Object.hasOwn(body, '__proto__')).toBe(true);
  });
});

describe('a large JSON body', () => {
  const mebibyte = 1024 ** 2;

  /** @returns what comes out of a body that is larger than what is parsed in place */
  async function large(text: string): Promise<Record<string, unknown>> {
    expect(text.length).toBeGreaterThan(mebibyte);
    return await readJsonObject(post(text), 64 * mebibyte, offload);
  }

  it.each([
    ['one plain text', { content: 'x'.repeat(2 * mebibyte) }],
    ['two of them, deeper, among others', { a: [1, 'y'.repeat(mebibyte), { b: 'z'.repeat(100_000), é: 'ü' }], c: 'c' }],
    ['escapes in it', { content: '\\\n"'.repeat(mebibyte) }],
    ['other characters than ASCII', { content: 'ü'.repeat(mebibyte), ü: 'z'.repeat(100_000) }],
    ['many short ones', { list: Array.from({ length: 40_000 }, (_, at) => `text number ${at} of so many others`) }],
    ['a hostile name', JSON.parse(`{"__proto__":"${'x'.repeat(2 * mebibyte)}"}`) as object],
    ['a name as long as a value', { ['n'.repeat(2 * mebibyte)]: 1 }],
  ])('comes out as it went in: %s', async (_, value) => {
    const body = await large(JSON.stringify(value));
    expect(JSON.stringify(body) === JSON.stringify(value)).toBe(true);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
  });

  it.each([
    ['a control character in a text', `{"a":"${'x'.repeat(mebibyte)}\u0001"}`],
    ['a list', `["${'x'.repeat(mebibyte)}"]`],
    ['no end', `{"a":"${'x'.repeat(mebibyte)}`],
    ['a key twice', `{"a":"${'x'.repeat(mebibyte)}","\\u0061":1}`],
    ['a mark of nothing', `{"a":"${'x'.repeat(mebibyte)}"} 0`],
  ])('is refused for %s', async (_, text) => {
    await expect(large(text)).rejects.toMatchObject({ kind: 'invalid', code: 'VALIDATION_ERROR' });
  });
});

describe('the thread in which JSON is parsed', () => {
  const mebibyte = 1024 ** 2;

  /** @returns the tasks that were asked for while a body was read */
  async function tasksFor(text: string): Promise<readonly string[]> {
    const asked: string[] = [];
    const counting: Offload = {
      of: () => counting,
      run(task, input, options) {
        asked.push(task.name);
        return offload.run(task, input, options);
      },
    };
    await readJsonObject(post(text), 64 * mebibyte, counting).catch(() => undefined);
    return asked;
  }

  it.each([
    ['a body of 1 MiB', `{"a":"${'x'.repeat(mebibyte - 8)}"}`, []],
    ['a byte more', `{"a":"${'x'.repeat(mebibyte - 7)}"}`, ['parse-json']],
    ['25 million brackets', '['.repeat(25_000_000), ['parse-json']],
    ['objects in objects', '{"a":'.repeat(5_000_000), ['parse-json']],
    ['24 MB of backslashes', `{"a":"${'\\'.repeat(24_000_000)}"}`, ['parse-json']],
    ['millions of keys', `{${Array.from({ length: 1_000_000 }, (_, at) => `"${at}":0`).join()}}`, ['parse-json']],
  ])('is another one only where it is worth its while: %s', async (_, text, wanted) => {
    expect(await tasksFor(text)).toEqual(wanted);
  });
});

describe('the length of a body', () => {
  it('may be the limit and no more, said beforehand or counted', async () => {
    const exactly = new Uint8Array(limit);
    const more = new Uint8Array(limit + 1);
    expect(await readBody(post(exactly), limit)).toHaveLength(limit);
    expect(await readBody(post(stream(exactly)), limit)).toHaveLength(limit);
    for (const body of [post(more), post(stream(more)), post(stream(exactly, new Uint8Array(1)))]) {
      await expect(readBody(body, limit)).rejects.toMatchObject({ kind: 'tooLarge', code: 'PAYLOAD_TOO_LARGE' });
    }
  });

  it.each(['-1', 'NaN', '1e9', '99999999999999999999', 'x'])(
    'is refused unread where it is said to be %s',
    async (length) => {
      const body = stream(new Error('was read'));
      await expect(readBody(post(body, { 'content-length': length }), limit)).rejects.toMatchObject({
        kind: 'tooLarge',
      });
    },
  );

  it('is counted while it comes, and the rest is not fetched', async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(400));
      },
      cancel() {
        cancelled = true;
      },
    });
    await expect(readBody(post(endless), limit)).rejects.toMatchObject({ kind: 'tooLarge' });
    expect(pulled).toBeLessThan(6);
    expect(cancelled).toBe(true);
  });

  it('that was not reached is a fault of the request, not of the server', async () => {
    const half = () => stream(new Uint8Array(10), new Error('the connection is gone'));
    await expect(readBody(post(half()), limit)).rejects.toMatchObject({ kind: 'invalid', code: 'VALIDATION_ERROR' });
    await expect(readBody(post(half(), { 'content-length': '20' }), limit)).rejects.toMatchObject({ kind: 'invalid' });
  });
});
