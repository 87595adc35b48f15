import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { openHouse, type ApiAnswer } from '../support/house.ts';
import { engines } from '../support/stores.ts';

const limitsOf = ({ headers }: ApiAnswer) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`));

describe('counted requests', () => {
  it('say how many are left, whatever the answer, and when to come back', async () => {
    const { config } = await loadConfig({
      flags: {},
      env: { CONCLAVE_LIMITS_READ_PER_ADDRESS: '3/5m' },
      home: '/nowhere',
      cwd: '/',
    });
    await using house = await openHouse(engines[0]!, { config: { limits: { ...config.limits, enabled: true } } });
    const address = '203.0.113.9';
    const verify = (token?: string) => house.api('GET', '/api/user/verify', { token, address });

    const member = await house.register();
    const mine = await verify(member.token);
    expect([mine.status, ...limitsOf(mine)]).toEqual([200, '3000', '2999', expect.any(String)]);

    // Who brings no token that is good counts by the address, and guessing doesn't go on for ever.
    for (const [left, token] of [
      [2, undefined],
      [1, 'guess'],
      [0, 'another'],
    ] as const) {
      const refused = await verify(token);
      expect([refused.status, ...limitsOf(refused)]).toEqual([
        401,
        '3',
        String(left),
        expect.stringMatching(/^(?:299|300)$/),
      ]);
    }
    const over = await verify('one too many');
    expect([over.status, ...limitsOf(over)]).toEqual([429, '3', '0', expect.any(String)]);
    expect(over.headers.get('retry-after')).toBe(over.headers.get('ratelimit-reset'));
    expect(over.body).toEqual({ message: expect.stringContaining('Try again'), error: 'RATE_LIMITED' });
    expect((await verify(member.token)).status).toBe(200);
  });

  it('are those with a body that cannot be read as well', async () => {
    const { config } = await loadConfig({
      flags: {},
      env: { CONCLAVE_LIMITS_SIGN_IN_PER_ADDRESS: '2/5m' },
      home: '/nowhere',
      cwd: '/',
    });
    await using house = await openHouse(engines[0]!, { config: { limits: { ...config.limits, enabled: true } } });
    const login = (rawBody: string, headers = { 'content-type': 'application/json' }) =>
      house.api('POST', '/api/user/login', { rawBody, headers, address: '203.0.113.9' });
    expect((await login('{')).status).toBe(400);
    expect((await login('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await login('{}')).status).toBe(429);
  });
});
