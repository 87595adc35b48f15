import { describe, expect, it } from 'vitest';
import { purgeExpired } from '../../../src/services/accounts/purge.ts';
import { accounts } from '../../../src/contract/accounts.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { directAnswer, identityOf, sessionKey } from '../../support/member-key.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

const DAY = 86_400_000;

const verify = async (house: House, token: string) => (await house.perform(accounts.verify, {}, token)).status;

describe.each(engines)('sessions on %s', (engine) => {
  it('count for the member whom the token names alone, whatever the store says', async () => {
    await using house = await openHouse(engine);
    const [alice, bob] = [await house.register(), await house.register()];
    expect((await house.api('GET', '/api/user/verify', { token: alice.token })).status).toBe(200);
    const given = await house.ctx.db
      .updateTable('sessions')
      .set({ member_id: bob.memberId })
      .where('member_id', '=', alice.memberId)
      .executeTakeFirst();
    expect(given.numUpdatedRows).toBe(1n);
    const answer = await house.api('GET', '/api/user/verify', { token: alice.token });
    expect(answer).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED' } });
  });

  it('count for nobody who is suspended, also where one is left', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    await house.ctx.db.updateTable('members').set({ status: 'suspended' }).where('id', '=', alice.memberId).execute();
    const answer = await house.api('GET', '/api/user/verify', { token: alice.token });
    expect(answer).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED' } });
    expect(await house.ctx.db.selectFrom('sessions').select('member_id').execute()).toHaveLength(1);
  });

  it('are named by Bearer or by the raw token', async () => {
    await using house = await openHouse(engine);
    const { token } = await house.register();
    for (const authorization of [`Bearer ${token}`, `bearer  ${token}`, token]) {
      expect((await house.api('GET', '/api/user/verify', { headers: { authorization } })).status).toBe(200);
    }
    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      'Basic abc',
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      `${token} ${token}`,
    ]) {
      const answer = await house.api('GET', '/api/user/verify', { headers: { authorization } });
      expect(answer).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED', message: expect.any(String) } });
    }
  });

  it('carry the documented claims', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const [header, payload] = alice.token
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    expect(header.alg).toBe('HS256');
    const iat = house.clock.now() / 1000;
    expect(payload).toEqual({
      memberId: alice.memberId,
      username: alice.username,
      type: 'User',
      iat,
      exp: iat + 7 * 86_400,
      jti: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('end seven days after they began', async () => {
    await using house = await openHouse(engine);
    const { token } = await house.register();
    house.clock.advance(7 * DAY - 1000);
    expect(await verify(house, token)).toBe(200);
    house.clock.advance(1000);
    expect(await verify(house, token)).toBe(401);
  });

  it('end when their row has expired, though the token has not', async () => {
    await using house = await openHouse(engine);
    const { token } = await house.register();
    await house.ctx.db.updateTable('sessions').set({ expires_at: house.clock.now() }).execute();
    expect(await verify(house, token)).toBe(401);
  });

  it('end at once with a logout, theirs alone', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const other = await house.signIn(alice);
    const { sessions } = (await house.perform(accounts.listSessions, {}, alice.token)).body;
    expect((await house.perform(accounts.logout, {}, alice.token)).status).toBe(200);
    expect(await verify(house, alice.token)).toBe(401);
    expect(await verify(house, other)).toBe(200);
    expect((await house.perform(accounts.logout, {}, alice.token)).status).toBe(401);
    expect(house.endedSockets).toEqual([sessions.find((session: { current: boolean }) => session.current).id]);
  });

  it('show whose they are by the row and not by the token, so that a demotion holds at once', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    const second = await house.administrator();
    await house.api('POST', `/api/admin/members/${second.memberId}/demote`, { token: boss.token });
    expect((await house.api('GET', '/api/admin/members', { token: second.token })).status).toBe(403);
    const { user } = (await house.perform(accounts.verify, {}, second.token)).body;
    expect(user.roles).toMatchObject([{ name: 'User', admin: false, updatedBy: boss.memberId }]);
  });

  it('are listed in pages, the newest first', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const stranger = await house.register();
    for (let count = 0; count < 4; count += 1) {
      house.clock.advance(1000);
      await house.signIn(alice);
    }
    const { sessions: all } = (await house.perform(accounts.listSessions, {}, alice.token)).body;
    expect(all).toHaveLength(5);

    const found = [];
    let page = (await house.perform(accounts.listSessions, { limit: 2 }, alice.token)).body;
    for (found.push(...page.sessions); page.hasMore; found.push(...page.sessions)) {
      page = (await house.perform(accounts.listSessions, { limit: 2, cursor: page.cursor }, alice.token)).body;
    }
    expect(found).toEqual(all);
    expect(page).not.toHaveProperty('cursor');

    const { cursor } = (await house.perform(accounts.listSessions, { limit: 1 }, alice.token)).body;
    const others = await house.perform(accounts.listSessions, { cursor }, stranger.token);
    expect(others).toMatchObject({ status: 400, body: { error: 'INVALID_CURSOR' } });
    const changed = await house.perform(accounts.listSessions, { cursor: `${cursor}x` }, alice.token);
    expect(changed).toMatchObject({ status: 400, body: { error: 'INVALID_CURSOR' } });
  });

  it('are listed with what a person needs to tell them apart', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    house.clock.advance(1000);
    const { username, password } = alice;
    await house.perform(accounts.login, { username, password }, undefined, { headers: { 'user-agent': 'a phone' } });
    const signed = await directAnswer(house, alice);
    house.clock.advance(1000);
    await house.perform(accounts.directChallenge, signed);
    await house.register();
    const { sessions } = (await house.perform(accounts.listSessions, {}, alice.token)).body;
    expect(sessions).toMatchObject([
      {
        current: false,
        keyUnlocked: false,
        createdAt: '2026-01-15T12:00:02.000Z',
        expiresAt: '2026-01-22T12:00:02.000Z',
      },
      { current: false, keyUnlocked: true, userAgent: 'a phone' },
      { current: true, keyUnlocked: true, userAgent: 'house-test', lastUsedAt: '2026-01-15T12:00:00.000Z' },
    ]);
  });

  it('can be ended one by one, but only by their member', async () => {
    await using house = await openHouse(engine);
    const [alice, bob] = [await house.register(), await house.register()];
    const other = await house.signIn(alice);
    const { sessions } = (await house.perform(accounts.listSessions, {}, other)).body;
    const { id } = sessions.find((session: { current: boolean }) => !session.current);
    const missing = await house.perform(accounts.endSession, { id: 'f'.repeat(32) }, bob.token);
    const foreign = await house.perform(accounts.endSession, { id }, bob.token);
    expect(foreign).toMatchObject({ status: 404, body: { error: 'SESSION_NOT_FOUND' } });
    expect(foreign.body).toEqual(missing.body);
    expect(await verify(house, alice.token)).toBe(200);
    expect((await house.perform(accounts.endSession, { id: id.toUpperCase() }, other)).status).toBe(200);
    expect(await verify(house, alice.token)).toBe(401);
    expect(house.endedSockets).toEqual([id]);
    expect((await house.perform(accounts.endSession, { id }, other)).status).toBe(404);
    expect((await house.api('DELETE', '/api/user/sessions/not-an-id', { token: other })).status).toBe(400);
  });

  it('note their use at most once a minute, without the request waiting', async () => {
    await using house = await openHouse(engine);
    const { token, memberId } = await house.register();
    const lastUsed = async () => (await house.perform(accounts.listSessions, {}, token)).body.sessions[0].lastUsedAt;
    house.clock.advance(59_999);
    await verify(house, token);
    expect(await lastUsed()).toBe('2026-01-15T12:00:00.000Z');
    house.clock.advance(1);
    await Promise.all(Array.from({ length: 5 }, () => verify(house, token)));
    await expect.poll(lastUsed).toBe('2026-01-15T12:01:00.000Z');
    const { last_active } = await house.ctx.db
      .selectFrom('member_profiles')
      .select('last_active')
      .where('member_id', '=', memberId)
      .executeTakeFirstOrThrow();
    expect(last_active).toBe(house.clock.now());
  });
});

describe.each(engines)('a refresh on %s', (engine) => {
  const refresh = async (house: House, token: string) => await house.perform(accounts.refreshToken, {}, token);

  it('answers the user and a new token, in a header as well', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    house.clock.advance(3 * DAY);
    const answer = await refresh(house, alice.token);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        message: expect.any(String),
        user: { id: alice.memberId },
        serverPublicKey: toHex(house.ctx.keys.identity.publicKey),
      },
    });
    expect(answer.headers.get('authorization')).toBe(`Bearer ${answer.body.token}`);
    house.clock.advance(7 * DAY - 1000);
    expect(await verify(house, answer.body.token)).toBe(200);
    house.clock.advance(1000);
    expect(await verify(house, answer.body.token)).toBe(401);
  });

  it('leaves the old token 30 seconds, with the private key, as the same session', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const key = toHex((await identityOf(alice.mnemonic)).privateKey);
    const { token } = (await refresh(house, alice.token)).body;
    expect((await house.perform(accounts.listSessions, {}, token)).body.sessions).toHaveLength(1);
    house.clock.advance(29_999);
    expect(await sessionKey(house, token)).toBe(key);
    expect(await sessionKey(house, alice.token)).toBe(key);
    house.clock.advance(1);
    expect(await verify(house, alice.token)).toBe(401);
    expect(await verify(house, token)).toBe(200);
    expect(await sessionKey(house, token)).toBe(key);
  });

  it('with a token in its time of grace gives the newest token, and keeps the key', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const key = toHex((await identityOf(alice.mnemonic)).privateKey);
    const second = (await refresh(house, alice.token)).body.token;
    house.clock.advance(10_000);
    expect((await refresh(house, alice.token)).body.token).toBe(second);
    const third = (await refresh(house, second)).body.token;
    house.clock.advance(19_999);
    // From the first one the way leads over the second.
    for (const token of [alice.token, second]) expect((await refresh(house, token)).body.token).toBe(third);
    for (const token of [alice.token, second, third]) expect(await sessionKey(house, token)).toBe(key);
    house.clock.advance(1);
    expect((await refresh(house, alice.token)).status).toBe(401);
    expect(await verify(house, alice.token)).toBe(401);
    expect(await sessionKey(house, second)).toBe(key);
    house.clock.advance(10_000);
    expect(await verify(house, second)).toBe(401);
    expect(await sessionKey(house, third)).toBe(key);
  });

  it('with a token in its time of grace lengthens nothing', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const second = (await refresh(house, alice.token)).body.token;
    house.clock.advance(29_000);
    await refresh(house, alice.token);
    house.clock.advance(1_000);
    expect(await verify(house, alice.token)).toBe(401);
    house.clock.advance(7 * DAY - 31_000);
    expect(await verify(house, second)).toBe(200);
    house.clock.advance(1_000);
    expect(await verify(house, second)).toBe(401);
  });

  it('of many tabs at once gives all of them one token, over two processes, and signs none out', async () => {
    const secret = new Uint8Array(32).fill(9);
    await using house = await openHouse(engine, { secret });
    await using twin = await openHouse(engine, { secret, context: { store: house.ctx.store, db: house.ctx.db } });
    const alice = await house.register();
    const key = toHex((await identityOf(alice.mnemonic)).privateKey);
    let tokens = Array.from({ length: 8 }, () => alice.token);
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(tokens.map((token, tab) => refresh(tab % 2 === 0 ? house : twin, token)));
      expect(answers.map((answer) => answer.status)).toEqual(tokens.map(() => 200));
      const fresh = answers.map((answer) => answer.body.token as string);
      expect(new Set(fresh).size).toBe(1);
      expect(tokens).not.toContain(fresh[0]);
      for (const token of [...tokens.slice(0, 1), ...fresh.slice(0, 1)])
        expect(await sessionKey(twin, token)).toBe(key);
      tokens = fresh;
    }
    expect((await house.perform(accounts.listSessions, {}, tokens[0])).body.sessions).toHaveLength(1);
  });

  it('leaves no trace of replaced tokens when their time is over', async () => {
    await using house = await openHouse(engine);
    const rows = async () => (await house.ctx.db.selectFrom('replaced_tokens').select('jti_hash').execute()).length;
    const alice = await house.register();
    const second = (await refresh(house, alice.token)).body.token;
    house.clock.advance(30_000);
    const third = (await refresh(house, second)).body.token;
    expect(await rows()).toBe(1);
    house.clock.advance(30_000);
    await purgeExpired(house.ctx);
    expect(await rows()).toBe(0);
    expect(await verify(house, third)).toBe(200);
  });

  it('keeps to its own session: the token of another one leads nowhere', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const other = await house.signIn(alice);
    await refresh(house, alice.token);
    const { token } = (await refresh(house, other)).body;
    const { sessions } = (await house.perform(accounts.listSessions, {}, token)).body;
    await house.perform(
      accounts.endSession,
      { id: sessions.find((one: { current: boolean }) => !one.current).id },
      token,
    );
    expect((await refresh(house, alice.token)).status).toBe(401);
    expect((await refresh(house, other)).body.token).toBe(token);
  });

  it('stays without a private key where the session had none', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const direct = (await house.perform(accounts.directChallenge, await directAnswer(house, alice))).body.token;
    const { token } = (await refresh(house, direct)).body;
    await expect(sessionKey(house, token)).rejects.toMatchObject({ code: 'KEY_LOCKED' });
  });

  it('ends with the session: all its tokens are worth nothing after a logout with any of them', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const second = (await refresh(house, alice.token)).body.token;
    const third = (await refresh(house, second)).body.token;
    await house.perform(accounts.logout, {}, second);
    for (const token of [alice.token, second, third]) {
      expect(await verify(house, token)).toBe(401);
      expect((await refresh(house, token)).status).toBe(401);
    }
    expect(await house.ctx.db.selectFrom('replaced_tokens').selectAll().execute()).toEqual([]);
  });
});

describe.each(engines)('a restart on %s', (engine) => {
  it('loses no session and no key', async () => {
    const secret = new Uint8Array(32).fill(9);
    await using house = await openHouse(engine, { secret });
    const alice = await house.register();
    // A second node process over the same store and secret: nothing but those is shared.
    await using twin = await openHouse(engine, { secret, context: { store: house.ctx.store, db: house.ctx.db } });
    expect(await verify(twin, alice.token)).toBe(200);
    expect(await sessionKey(twin, alice.token)).toBe(toHex((await identityOf(alice.mnemonic)).privateKey));
    await twin.perform(accounts.logout, {}, alice.token);
    expect(await verify(house, alice.token)).toBe(401);
  });
});
