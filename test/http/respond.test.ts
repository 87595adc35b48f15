import { describe, expect, it } from 'vitest';
import { errorCodes, type ErrorCode } from '../../src/contract/error-codes.ts';
import { statusOf } from '../../src/base/problem-status.ts';
import { publicProblem, respondJson, respondProblem } from '../../src/http/respond.ts';
import { Problem } from '../../src/base/problem.ts';

describe('what goes out', () => {
  it('is a problem as it is', () => {
    const problem = new Problem('conflict', 'LAST_ADMINISTRATOR', 'There is no other.');
    expect(publicProblem(problem, 'id-1')).toBe(problem);
  });

  it('of anything unexpected is the request id', () => {
    const secrets = [new Error('password hunter2 at /srv/secret'), 'hunter2', { hunter2: true }, undefined];
    for (const error of secrets) {
      const problem = publicProblem(error, 'id-1');
      expect(problem).toMatchObject({
        kind: 'internal',
        code: 'INTERNAL_ERROR',
        message: 'An unexpected error occurred. Request id: id-1',
      });
      expect(problem.cause).toBeUndefined();
    }
    const damaged = publicProblem(
      new Problem('internal', 'STORE_DAMAGED', 'The store is damaged.', { cause: new Error('page 7') }),
      'id-1',
    );
    expect(damaged).toMatchObject({
      code: 'STORE_DAMAGED',
      message: 'The store is damaged. Request id: id-1',
      cause: undefined,
    });
  });

  it('has the status of its code, or else of its kind', () => {
    for (const [code, { status }] of Object.entries(errorCodes))
      expect(statusOf(new Problem('internal', code as ErrorCode, ''))).toBe(status);
    expect(statusOf(new Problem('gone', 'STORE_MOVED', ''))).toBe(410);
  });

  it('says when to come back, how to sign in, and that a body stays unread', async () => {
    const busy = respondProblem(
      'account',
      new Problem('unavailable', 'OVERLOADED', 'Busy', { retryAfterSeconds: 1.2 }),
      { 'x-a': 'b' },
    );
    expect(busy.status).toBe(503);
    expect(busy.headers.get('retry-after')).toBe('2');
    expect(busy.headers.get('x-a')).toBe('b');
    expect(await busy.json()).toEqual({ message: 'Busy', error: 'OVERLOADED' });
    const guest = respondProblem('social', new Problem('unauthenticated', 'UNAUTHORIZED', 'Who?'), {});
    expect(guest.headers.get('www-authenticate')).toBe('Bearer');
    expect(await guest.json()).toEqual({
      status: 'error',
      error: { code: 'UNAUTHORIZED', reason: 'UNAUTHORIZED', message: 'Who?' },
    });
    const large = respondProblem('account', new Problem('tooLarge', 'PAYLOAD_TOO_LARGE', 'Too large'), {});
    expect(large.headers.get('connection')).toBe('close');
  });

  it('is empty for 204 and JSON otherwise', async () => {
    expect(await respondJson(204, { a: 1 }, {}).text()).toBe('');
    const response = respondJson(201, { a: 1 }, { 'x-a': 'b' });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({ a: 1 });
  });
});
