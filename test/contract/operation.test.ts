import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  acceptsIdempotencyKey,
  limitOf,
  operation,
  pathParameters,
  rawOperation,
} from '../../src/contract/operation.ts';

const common = { envelope: 'system', auth: 'member', summary: 'Do it', input: v.object({}), errors: [] } as const;
const json = { ...common, reply: v.object({}), message: 'Done' } as const;

describe('operations', () => {
  it('have the parameters of their path in order', () => {
    expect(pathParameters('/files/:id/versions/:versionId')).toEqual(['id', 'versionId']);
    expect(pathParameters('/folders/resolve/*path')).toEqual(['path']);
    expect(pathParameters('/api/user/verify')).toEqual([]);
  });

  it('count as reads and writes where they name no limit', () => {
    expect(limitOf(operation({ ...json, id: 'a.b', method: 'GET', path: '/', status: 200 }))).toEqual({ name: 'read' });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      expect(limitOf(operation({ ...json, id: 'a.b', method, path: '/', status: 200 }))).toEqual({ name: 'write' });
    }
    const limit = { name: 'signIn', account: ['x'] } as const;
    expect(limitOf(operation({ ...json, id: 'a.b', method: 'GET', path: '/', status: 200, limit }))).toBe(limit);
  });

  it('take an Idempotency-Key where a member creates something', () => {
    const post = { ...json, id: 'a.b', method: 'POST', path: '/' } as const;
    expect(acceptsIdempotencyKey(operation({ ...post, status: 201 }))).toBe(true);
    expect(acceptsIdempotencyKey(operation({ ...post, status: 200 }))).toBe(false);
    expect(acceptsIdempotencyKey(operation({ ...post, status: 200, creates: true }))).toBe(true);
    expect(acceptsIdempotencyKey(operation({ ...post, status: 201, creates: false }))).toBe(false);
    expect(acceptsIdempotencyKey(operation({ ...post, status: 201, auth: 'none' }))).toBe(false);
    expect(acceptsIdempotencyKey(operation({ ...post, status: 201, method: 'PUT' }))).toBe(false);
    const raw = { ...common, id: 'a.b', method: 'POST', path: '/', status: 201, accepts: [], produces: [] } as const;
    expect(acceptsIdempotencyKey(rawOperation(raw))).toBe(false);
  });
});
