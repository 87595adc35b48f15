import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { accounts } from '../../src/contract/accounts.ts';
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
    const body = { name: 'Home', masterPassword: 'a master password of my own' };
    const made = await house.api('POST', '/api/passvault/vaults', { token, body });
    const { id } = made.body.data.vault as { id: string };
    expect((await open(id)).status).toBe(401);
    const spelled = `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`;
    for (const spelling of [id, id.toUpperCase(), spelled]) expect((await open(spelling)).status).toBe(429);
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
      // Each says what is left of its own address: that both are one member is nobody's business.
      for (const answer of [byName, byEmail]) {
        expect([answer.status, ...limitsOf(answer)]).toEqual([401, '30', '29', expect.any(String)]);
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

  it('that succeed give the account its attempts back: mistakes now and then lock nobody out', async () => {
    await using house = await openCounting();
    const member = await house.register();
    const login = async (password: string, username = member.username) =>
      (await house.api('POST', '/api/user/login', { body: { username, password }, address: '203.0.113.7' })).status;
    const seen: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (let mistake = 0; mistake < 5; mistake += 1) seen.push(await login('not this one at all'));
      seen.push(await login(member.password, round === 1 ? member.email : member.username));
    }
    expect(seen).toEqual([401, 401, 401, 401, 401, 200, 401, 401, 401, 401, 401, 200, 401, 401, 401, 401, 401, 200]);
  });

  it('that are refused for their address, or for their form, count on no account', async () => {
    await using house = await openCounting({ CONCLAVE_LIMITS_SIGN_IN_PER_ADDRESS: '3/15m' });
    const member = await house.register();
    const post = (body: unknown, address: string) => house.api('POST', '/api/user/login', { body, address });
    const wrong = { username: member.username, password: 'not this one at all' };
    const statuses: number[] = [];
    for (let i = 0; i < 30; i += 1) statuses.push((await post(wrong, '203.0.113.66')).status);
    expect(statuses).toEqual([401, 401, 401, ...Array.from({ length: 27 }, () => 429)]);
    for (let i = 0; i < 10; i += 1) {
      const answer = await post({ ...wrong, password: 7 }, `203.0.113.${100 + i}`);
      expect(answer.status).toBe(400);
    }
    // Three of ten are used up, and no more.
    for (let i = 0; i < 6; i += 1) expect((await post(wrong, `203.0.113.${i}`)).status).toBe(401);
    const right = { username: member.username, password: member.password };
    expect((await post(right, '203.0.113.7')).status).toBe(200);
  });

  it('by challenges that are forged or old count on no account, and wrong signatures do', async () => {
    await using house = await openCounting();
    const member = await house.register();
    let client = 0;
    const answer = async (challenge: string) => {
      client += 1;
      const body = { challenge, signature: '00'.repeat(64), username: member.username };
      const { body: said } = await house.api('POST', '/api/user/direct-challenge', {
        body,
        address: `203.0.113.${client}`,
      });
      return said.error as string;
    };
    for (let i = 0; i < 12; i += 1) expect(await answer('00'.repeat(104))).toBe('CHALLENGE_EXPIRED');
    const { challenge } = (await house.perform(accounts.requestDirectLogin, {})).body;
    for (let i = 0; i < 10; i += 1) expect(await answer(challenge)).toBe('INVALID_CREDENTIALS');
    expect(await answer(challenge)).toBe('RATE_LIMITED');
  });

  it('to names that nobody has say the same', async () => {
    await using house = await openCounting();
    const { username } = await house.register();
    const answers = async (name: string, network: string) => {
      const seen: unknown[] = [];
      for (let i = 0; i < 11; i += 1) {
        const body = { username: name, password: 'not this one at all' };
        const answer = await house.api('POST', '/api/user/login', { body, address: `${network}.${i}` });
        seen.push([answer.status, answer.body, ...limitsOf(answer).slice(0, 2)]);
      }
      return seen;
    };
    expect(JSON.stringify(await answers('nobody-here', '203.0.113'))).toBe(
      JSON.stringify(await answers(username, '198.51.100')),
    );
  });
});

describe('a device on which a member signed in', () => {
  const device = (fill: string) => ({ 'x-device': fill.repeat(43) });

  async function scene() {
    const house = await openCounting();
    const member = await house.register();
    let client = 0;
    const login = async (password: string, headers: Record<string, string> = {}, username = member.username) => {
      client += 1;
      const body = { username, password };
      return await house.api('POST', '/api/user/login', { body, headers, address: `198.51.100.${client}` });
    };
    const flood = async (headers: Record<string, string> = {}) => {
      for (let i = 0; i < 10; i += 1) expect((await login('not this one at all', headers)).status).toBe(401);
      expect((await login(member.password, headers)).status).toBe(429);
    };
    return { house, member, login, flood };
  }

  it('is not locked out by strangers who use up the account from many addresses', async () => {
    const { house, member, login, flood } = await scene();
    await using _ = house;
    expect((await login(member.password, device('a'))).status).toBe(200);
    await flood();
    expect((await login(member.password, device('b'))).status).toBe(429);
    for (const name of [member.username, member.email])
      expect((await login(member.password, device('a'), name)).status).toBe(200);
    // It has its own ten, and uses up nobody else's.
    await flood(device('a'));
    expect((await login(member.password, device('b'))).status).toBe(429);
  });

  it('is kept as a hash, for its member alone, and shown to nobody', async () => {
    const { house, member, login, flood } = await scene();
    await using _ = house;
    await login(member.password, device('a'));
    const rows = await house.ctx.db.selectFrom('known_devices').selectAll().execute();
    expect(rows).toEqual([
      { member_id: member.memberId, device: expect.stringMatching(/^[0-9a-f]{64}$/), used_at: house.clock.now() },
    ]);
    const other = await house.register();
    expect((await login(other.password, device('c'), other.username)).status).toBe(200);
    await flood(device('c'));
    expect(JSON.stringify(house.log.lines)).not.toContain('a'.repeat(43));
  });

  it('is not known for a wrong password, and no more after a recovery on another', async () => {
    const { house, member, login, flood } = await scene();
    await using _ = house;
    await login('not this one at all', device('a'));
    expect(await house.ctx.db.selectFrom('known_devices').selectAll().execute()).toEqual([]);
    await login(member.password, device('a'));
    const { email, mnemonic } = member;
    const recovered = await house.perform(
      accounts.recover,
      { email, mnemonic, newPassword: 'six yellow bottles' },
      undefined,
      { headers: device('b') },
    );
    expect(recovered.status).toBe(200);
    await flood();
    expect((await login('six yellow bottles', device('a'))).status).toBe(429);
    expect((await login('six yellow bottles', device('b'))).status).toBe(200);
  });

  it('is one of the twenty that were used last', { tags: 'soak' }, async () => {
    const { house, member } = await scene();
    await using _ = house;
    const { username, password } = member;
    for (let i = 0; i < 23; i += 1) {
      house.clock.advance(1000);
      const headers = device(String.fromCharCode(97 + i));
      expect((await house.perform(accounts.login, { username, password }, undefined, { headers })).status).toBe(200);
    }
    const rows = await house.ctx.db.selectFrom('known_devices').select('used_at').execute();
    expect(rows).toHaveLength(20);
    expect(Math.min(...rows.map(({ used_at }) => used_at))).toBe(house.clock.now() - 19_000);
  });

  it('shows 32 bytes or nothing', async () => {
    const { house, login } = await scene();
    await using _ = house;
    const refused = await login('not this one at all', { 'x-device': 'short' });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: 'X-Device' }] } });
    expect(JSON.stringify(refused.body)).not.toContain('short');
  });
});

describe('opening a vault', () => {
  it('gives the member their attempts back', async () => {
    await using house = await openCounting();
    const { token } = await house.register();
    const masterPassword = 'a master password of my own';
    const call = async (path: string, body: unknown) =>
      await house.api('POST', `/api/passvault/vaults${path}`, { token, body, address: '203.0.113.7' });
    const { id } = (await call('', { name: 'Home', masterPassword })).body.data.vault;
    const open = async (password: string) => (await call(`/${id}/open`, { masterPassword: password })).status;
    for (let round = 0; round < 3; round += 1) {
      for (let mistake = 0; mistake < 5; mistake += 1) expect(await open('not this one at all')).toBe(401);
      expect(await open(masterPassword)).toBe(200);
    }
    for (let mistake = 0; mistake < 10; mistake += 1) expect(await open('not this one at all')).toBe(401);
    expect(await open(masterPassword)).toBe(429);
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
