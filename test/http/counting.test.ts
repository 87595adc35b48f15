import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { openHouse, type ApiAnswer, type House } from '../support/house.ts';
import { engines } from '../support/stores.ts';

async function openCounting(env: Record<string, string> = {}): Promise<House> {
  const { config } = await loadConfig({ flags: {}, env, home: '/nowhere', cwd: '/' });
  return await openHouse(engines[0]!, { config: { limits: { ...config.limits, enabled: true } } });
}

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

  it('are counted before a byte of a body is read: who asks too often costs nothing of it', async () => {
    await using house = await openCounting({
      CONCLAVE_LIMITS_SIGN_IN_PER_ADDRESS: '1/5m',
      CONCLAVE_LIMITS_WRITE_PER_ACCOUNT: '1/5m',
    });
    const { token } = await house.register();
    let pulled = 0;
    const send = async (path: string, headers: Record<string, string> = {}): Promise<[number, number]> => {
      pulled = 0;
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            pulled += 1;
            controller.enqueue(Buffer.from('['.repeat(1000)));
            if (pulled === 10) controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      const type = { 'content-type': 'application/json' };
      const init = { method: 'POST', body, headers: { ...type, ...headers }, duplex: 'half' as const };
      const request = new Request(`http://house.test${path}`, init);
      Object.defineProperty(request, 'ip', { value: '203.0.113.9' });
      return [(await house.fetch(request)).status, pulled];
    };
    const mine = { authorization: `Bearer ${token}` };
    const [read, unread] = [10, 0];
    expect(await send('/api/user/login')).toEqual([400, read]);
    expect(await send('/api/user/login')).toEqual([429, unread]);
    expect(await send('/api/passvault/vaults', mine)).toEqual([400, read]);
    expect(await send('/api/passvault/vaults', mine)).toEqual([429, unread]);
    // Without a good token there is nothing to read either.
    expect(await send('/api/passvault/vaults')).toEqual([401, unread]);
  });

  it('are one count for one vault, however its id is spelled in the path', async () => {
    await using house = await openCounting({ CONCLAVE_LIMITS_VAULT_OPENING_PER_ACCOUNT: '1/5m' });
    const { token } = await house.register();
    const open = (id: string) =>
      house.api('POST', `/api/passvault/vaults/${id}/open`, { token, body: { masterPassword: 'one of my guesses' } });
    expect((await open('0123456789abcdef0123456789abcdef')).status).toBe(404);
    for (const id of ['0123456789abcdef0123456789abcdef', '%30123456789abcdef0123456789abcdef'])
      expect((await open(id)).status).toBe(429);
  });

  it('are those to paths where nothing is as well', async () => {
    await using house = await openCounting({ CONCLAVE_LIMITS_READ_PER_ADDRESS: '2/5m' });
    const ask = (path: string, address: string, method: 'GET' | 'PUT' = 'GET') => house.api(method, path, { address });
    const first = await ask('/api/user/nowhere', '203.0.113.9');
    expect([first.status, ...limitsOf(first)]).toEqual([404, '2', '1', expect.any(String)]);
    expect((await ask('/api/user/verify', '203.0.113.9', 'PUT')).status).toBe(405);
    const refused = await ask('/api/user/nowhere', '203.0.113.9');
    expect(refused).toMatchObject({ status: 429, body: { error: 'RATE_LIMITED' } });
    expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'));
    expect((await ask('/api/user/nowhere', '203.0.113.10')).status).toBe(404);
  });
});

describe('sign-ins', () => {
  it('to one member count together, whatever name is given and wherever they come from', async () => {
    await using house = await openCounting();
    const member = await house.register();
    let client = 0;
    const login = (username: string, password = 'not this one at all') => {
      client += 1;
      return house.api('POST', '/api/user/login', { body: { username, password }, address: `203.0.113.${client}` });
    };
    const recover = (email: string) => {
      client += 1;
      return house.api('POST', '/api/user/recover', {
        body: { email, mnemonic: member.mnemonic.replace(/^\w+/, 'zoo'), newPassword: 'six yellow bottles' },
        address: `203.0.113.${client}`,
      });
    };
    for (let i = 0; i < 4; i += 1) {
      const [byName, byEmail] = [await login(member.username), await login(member.email.toUpperCase())];
      // Each says what is left of its own: that both are one member is nobody's business.
      for (const answer of [byName, byEmail]) {
        expect([answer.status, ...limitsOf(answer)]).toEqual([401, '10', String(9 - i), expect.any(String)]);
      }
    }
    expect((await recover(member.email)).status).toBe(401);
    expect((await login(member.username)).status).toBe(401);
    for (const name of [member.username, member.email]) {
      const refused = await login(name, member.password);
      expect([refused.status, ...limitsOf(refused)]).toEqual([429, '10', '0', expect.any(String)]);
    }
    // The member's own session goes on, with what it counts by itself.
    const change = { currentPassword: member.password, newPassword: 'six yellow bottles' };
    const changed = await house.api('POST', '/api/user/change-password', { token: member.token, body: change });
    expect([changed.status, ...limitsOf(changed)]).toEqual([200, '10', '9', expect.any(String)]);
  });

  it('to names that nobody has say the same', async () => {
    await using house = await openCounting();
    const { username } = await house.register();
    const answers = async (name: string) => {
      const seen: unknown[] = [];
      for (let i = 0; i < 11; i += 1) {
        const body = { username: name, password: 'not this one at all' };
        const answer = await house.api('POST', '/api/user/login', { body, address: `203.0.113.${i}` });
        seen.push([answer.status, answer.body, ...limitsOf(answer).slice(0, 2)]);
      }
      return seen;
    };
    expect(JSON.stringify(await answers('nobody-here'))).toBe(JSON.stringify(await answers(username)));
  });
});

describe('backup codes', () => {
  it('are made as seldom as one signs in, since they cost as much', async () => {
    await using house = await openCounting();
    const { token } = await house.register();
    const make = (method: 'POST' | 'PUT') => house.api(method, '/api/user/backup-codes', { token });
    for (let i = 0; i < 5; i += 1) {
      expect((await make('POST')).status).toBe(200);
      expect((await make('PUT')).status).toBe(200);
    }
    for (const method of ['POST', 'PUT'] as const) {
      expect(await make(method)).toMatchObject({ status: 429, body: { error: 'RATE_LIMITED' } });
    }
  });
});
