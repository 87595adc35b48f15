import { describe, expect, it } from 'vitest';
import { startNode } from '../support/running-node.ts';

describe('rate limits over HTTP', () => {
  it('show what is left, and answer 429 with when to come back, right password or not', async () => {
    await using node = await startNode({ env: { CONCLAVE_LIMITS_SIGN_IN_PER_ACCOUNT: '3/15m' } });
    const json = { 'content-type': 'application/json' };
    const post = (path: string, body: unknown) =>
      node.fetch(path, { method: 'POST', headers: json, body: JSON.stringify(body) });
    const account = { username: 'ann', email: 'ann@example.org', password: 'seven green bottles' };
    const registered = await post('/api/user/register', account);
    expect([
      registered.status,
      registered.headers.get('ratelimit-limit'),
      registered.headers.get('ratelimit-remaining'),
    ]).toEqual([201, '10', '9']);
    const wrong = { username: 'ann', password: 'eight green bottles' };
    const answers = [
      await post('/api/user/login', wrong),
      await post('/api/user/login', wrong),
      await post('/api/user/login', account),
      await post('/api/user/login', wrong),
      await post('/api/user/login', wrong),
      await post('/api/user/login', wrong),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 200, 401, 401, 401]);
    // Of the address: what is left of an account is nobody's business.
    expect(answers[2]!.headers.get('ratelimit-remaining')).toBe('27');
    const refused = await post('/api/user/login', account);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(await refused.json()).toMatchObject({ error: 'RATE_LIMITED', message: expect.stringMatching(/Too many/) });
    expect((await post('/api/user/login', { ...wrong, username: 'somebody-else' })).status).toBe(401);
  });
});
