import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  operation,
  rawOperation,
  type InputSchema,
  type Method,
  type Operation,
} from '../../src/contract/operation.ts';
import { actorField, integer, line, memberId, secretText } from '../../src/contract/text.ts';
import { actorFieldsOf, checkInput, inputReader, placesOf } from '../../src/http/input.ts';
import { createOffload } from '../../src/platform/workers/offload.ts';
import { Problem } from '../../src/base/problem.ts';

// Nothing here is large enough for a thread.
const offload = createOffload();
const common = { id: 'thing.do', envelope: 'system', auth: 'none', summary: 'Do it', status: 200, errors: [] } as const;
const json = (method: Method, path: string, input: InputSchema): Operation =>
  operation({ ...common, method, path, input, reply: v.object({}), message: 'Done' });

async function read(
  op: Operation,
  url: string,
  more: { params?: Record<string, string>; body?: string; type?: string } = {},
) {
  const headers = { 'content-type': more.type ?? 'application/json' };
  const request = new Request(`http://node.test${url}`, {
    method: op.method,
    headers,
    ...(more.body !== undefined && { body: more.body }),
  });
  return await inputReader(op, () => 1000)({ request, url: new URL(request.url), params: more.params }, offload);
}

function problemOf(check: () => unknown): Problem {
  try {
    check();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('where fields are', () => {
  const fields = v.object({ id: v.string(), a: v.string() });
  const own = v.object({ id: v.string() });

  it('follows from the method and the path', () => {
    expect(placesOf(json('GET', '/x/:id', fields))).toEqual({
      path: ['id'],
      header: [],
      query: ['a'],
      body: [],
      hasJsonBody: false,
    });
    expect(placesOf(json('POST', '/x/:id', fields))).toEqual({
      path: ['id'],
      header: [],
      query: [],
      body: ['a'],
      hasJsonBody: true,
    });
    expect(placesOf(json('POST', '/x/:id', own))).toEqual({
      path: ['id'],
      header: [],
      query: [],
      body: [],
      hasJsonBody: true,
    });
    expect(placesOf(json('DELETE', '/x/:id', own))).toEqual({
      path: ['id'],
      header: [],
      query: [],
      body: [],
      hasJsonBody: false,
    });
    expect(placesOf(json('DELETE', '/x/:id', fields)).hasJsonBody).toBe(true);
    const raw = rawOperation({
      ...common,
      method: 'PUT',
      path: '/x/:id',
      input: fields,
      accepts: ['image/png'],
      produces: [],
    });
    expect(placesOf(raw)).toEqual({ path: ['id'], header: [], query: ['a'], body: [], hasJsonBody: false });
  });

  it('is where they are read', async () => {
    expect(await read(json('GET', '/x/:id', fields), '/x/1?a=2', { params: { id: '1' } })).toEqual({ id: '1', a: '2' });
    expect(await read(json('PUT', '/x/:id', fields), '/x/1?a=3', { params: { id: '1' }, body: '{"a":"2"}' })).toEqual({
      id: '1',
      a: '2',
    });
    expect(await read(json('DELETE', '/x/:id', own), '/x/1', { params: { id: '1' }, body: 'not JSON' })).toEqual({
      id: '1',
    });
  });

  it('cannot be overruled: what the path says counts', async () => {
    expect(await read(json('GET', '/x/:id', fields), '/x/1?id=2', { params: { id: '1' } })).toEqual({ id: '1' });
    expect(await read(json('POST', '/x/:id', fields), '/x/1', { params: { id: '1' }, body: '{"id":"2"}' })).toEqual({
      id: '1',
    });
  });

  it('in the path is decoded, once', async () => {
    const op = json('GET', '/x/:id', own);
    expect(await read(op, '/', { params: { id: 'a%2Fb%20c%25' } })).toEqual({ id: 'a/b c%' });
    expect(await read(op, '/', { params: { id: '%2525' } })).toEqual({ id: '%25' });
    for (const nonsense of ['%', '%zz', '%c0%af', '%ff', '%ed%a0%80']) {
      await expect((async () => await read(op, '/', { params: { id: nonsense } }))()).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        fields: [{ path: 'id' }],
      });
    }
  });

  it('in a query may be repeated, and have any name', async () => {
    const op = json('GET', '/x', v.object({ a: v.string(), b: v.array(v.string()) }));
    const query = await read(op, '/x?a=1&b=2&b=3&__proto__=4&constructor=5&a%00=6');
    expect(Object.entries(query)).toEqual([
      ['a', '1'],
      ['b', ['2', '3']],
      ['__proto__', '4'],
      ['constructor', '5'],
      ['a\u0000', '6'],
    ]);
    expect(Object.getPrototypeOf(query)).toBe(Object.prototype);
  });
});

describe('input', () => {
  const op = json(
    'POST',
    '/x/:id',
    v.object({
      id: memberId,
      name: line(5),
      password: secretText(10),
      count: v.optional(integer(1, 9), 3),
      tags: v.optional(v.array(line(3))),
      deep: v.optional(v.object({ list: v.array(v.object({ on: v.boolean() })) })),
      authorId: actorField,
      hostId: actorField,
    }),
  );
  const good = { id: 'AB'.repeat(12), name: 'name', password: 'secret' };

  it('comes out normalised, without what nobody asked for', () => {
    expect(checkInput(op, { ...good, more: 1, ['__proto__']: 2, constructor: 3 })).toEqual({
      ...good,
      id: 'ab'.repeat(12),
      count: 3,
    });
  });

  it('that is wrong names every field, and no value', () => {
    const bad = {
      id: 'xyz',
      name: ['name'],
      password: 'a secret that is too long',
      count: '17',
      tags: ['ok', 'long'],
      deep: { list: [{ on: 1 }] },
    };
    const { message, fields, code } = problemOf(() => checkInput(op, bad));
    expect(code).toBe('VALIDATION_ERROR');
    expect(fields).toEqual([
      { path: 'id', message: 'must be 24 hex digits' },
      { path: 'name', message: 'must be text' },
      { path: 'password', message: 'must be at most 10 characters' },
      { path: 'count', message: 'must be a whole number from 1 to 9' },
      { path: 'tags.1', message: 'must be at most 3 characters' },
      { path: 'deep.list.0.on', message: 'must be boolean' },
    ]);
    for (const value of ['xyz', 'a secret', '17', 'long']) expect(message).not.toContain(value);
    expect(message).toContain('id: must be 24 hex digits; name: must be text');
  });

  it('that is not there is missing, and null is not "not there"', () => {
    expect(problemOf(() => checkInput(op, {})).fields).toEqual(
      ['id', 'name', 'password'].map((path) => ({ path, message: 'is missing' })),
    );
    expect(problemOf(() => checkInput(op, { ...good, count: null })).fields.map((field) => field.path)).toEqual([
      'count',
    ]);
  });

  it('has no list where an object belongs', () => {
    const nested = json(
      'POST',
      '/x',
      v.object({
        one: v.optional(v.object({ a: v.optional(v.string()), two: v.optional(v.object({})) })),
        many: v.optional(v.array(v.object({ b: v.optional(v.string()) }))),
      }),
    );
    expect(checkInput(nested, { one: { two: {} }, many: [{}, {}] })).toEqual({ one: { two: {} }, many: [{}, {}] });
    const lists = { one: { two: [] }, many: [{}, []] };
    expect(problemOf(() => checkInput(nested, lists)).fields.map((field) => field.path)).toEqual(['one.two', 'many.1']);
    expect(problemOf(() => checkInput(nested, { one: [] })).message).toBe('one: must be an object');
  });

  it('has fields that name the actor', () => {
    expect(actorFieldsOf(op)).toEqual(['authorId', 'hostId']);
  });
});

describe('an input that is wrong in thousands of places', () => {
  const item = v.object({ name: v.optional(v.string('must be text')) });
  const op = json('POST', '/x', v.object({ list: v.array(item) }));

  it.each([
    ['values', { name: 1 }, 'list.19.name: must be text; and 49980 more'],
    ['lists for objects', [], 'list.19: must be an object; and 49980 more'],
  ])('is answered with the first of them, and how many more there are: %s', (_, one, end) => {
    const { message, fields } = problemOf(() => checkInput(op, { list: Array.from({ length: 50_000 }, () => one) }));
    expect(fields).toHaveLength(20);
    expect(message.endsWith(end), message).toBe(true);
  });
});
