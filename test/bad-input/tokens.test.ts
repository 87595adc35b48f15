import { createHmac, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { openHouse } from '../support/house.ts';
import { engines } from '../support/stores.ts';
import { expectFailure, openScene } from './scene.ts';

// The store is never reached, so one engine is enough.
describe.each(engines.slice(0, 1))('bad input on %s', (engine) => {
  const scene = openScene(engine);
  const { expectRefusal } = scene;

  describe('in the token', () => {
    const verify = (token: string, headers = {}) => scene.house.api('GET', '/api/user/verify', { token, headers });
    const expectUnauthorized = (token: string) =>
      expectRefusal(401, 'UNAUTHORIZED', 'GET', '/api/user/verify', { token });
    const claims = () => decodeJwt(scene.member.token);
    const signed = (payload: object, key: Uint8Array = scene.house.ctx.keys.token, header: object = {}) =>
      new SignJWT({ ...payload }).setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header }).sign(key);

    it('signed as it should be is taken: the others are refused for what is wrong with them', async () => {
      expect((await verify(await signed(claims()))).status).toBe(200);
      expect(
        (await scene.house.api('GET', '/api/user/verify', { headers: { authorization: scene.member.token } })).status,
      ).toBe(200);
    });

    it('of another node', async () => {
      await using other = await openHouse(engine);
      const { token } = await other.register();
      await expectUnauthorized(token);
      await expectUnauthorized(await signed(claims(), other.ctx.keys.token));
      await expectUnauthorized(await signed(claims(), scene.house.ctx.keys.operatorToken));
    });

    it('signed by nobody, or otherwise than agreed', async () => {
      await expectUnauthorized(new UnsecuredJWT({ ...claims() }).encode());
      const [head, body, signature] = scene.member.token.split('.') as [string, string, string];
      await expectUnauthorized(`${head}.${body}.`);
      await expectUnauthorized(`${head}.${body}`);
      const none = Buffer.from('{"alg":"none"}').toString('base64url');
      for (const forged of [`${none}.${body}.`, `${none}.${body}.${signature}`, `${none}.${body}`])
        await expectUnauthorized(forged);
      for (const alg of ['HS384', 'HS512'])
        await expectUnauthorized(await signed(claims(), Buffer.alloc(64, scene.house.ctx.keys.token), { alg }));
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      await expectUnauthorized(
        await new SignJWT({ ...claims() }).setProtectedHeader({ alg: 'RS256' }).sign(privateKey),
      );
      const elsewhere = { jku: 'https://example.org/keys', kid: '../../dev/null', x5u: 'https://example.org/' };
      await expectUnauthorized(await signed(claims(), new Uint8Array(32), elsewhere));
      const unknown = `${Buffer.from('{"alg":"HS256","crit":["must"],"must":1}').toString('base64url')}.${body}`;
      await expectUnauthorized(
        `${unknown}.${createHmac('sha256', scene.house.ctx.keys.token).update(unknown).digest('base64url')}`,
      );
    });

    it('changed by one bit anywhere', async () => {
      const bytes = Buffer.from(scene.member.token);
      // The last digit of the signature has bits that stand for nothing.
      for (let at = 0; at < bytes.length - 1; at += 7) {
        const changed = Buffer.from(bytes);
        changed[at]! ^= 1;
        await expectUnauthorized(changed.toString('latin1'));
      }
    });

    it('that says what it should not', async () => {
      const good = claims();
      const forgeries: object[] = [
        { ...good, memberId: scene.administrator.memberId },
        { ...good, jti: Buffer.alloc(32, 7).toString('base64url') },
        { ...good, jti: 7 },
        { ...good, jti: 'short' },
        { ...good, jti: undefined },
        { ...good, exp: undefined },
        { ...good, exp: 'never' },
        { ...good, exp: 1 },
        { ...good, iat: undefined },
        { ...good, memberId: ['x'] },
        { ...good, memberId: { toString: 1 } },
        { ...good, type: 'System', sub: '0'.repeat(24), aud: 'operator' },
        { ...good, nbf: 99_999_999_999 },
        {},
      ];
      for (const forgery of forgeries) await expectUnauthorized(await signed(forgery));
      // What a token says of its member is for clients to show: the node asks its store.
      const promoted = await signed({ ...good, type: 'Admin' });
      await expectRefusal(403, 'FORBIDDEN', 'GET', '/api/admin/members', { token: promoted });
    });

    it("that is the operator's, where only members are served", async () => {
      const token = await scene.house.operatorToken();
      await expectUnauthorized(token);
      await expectRefusal(401, 'UNAUTHORIZED', 'GET', '/api/admin/members', { token });
      await expectRefusal(403, 'FORBIDDEN', 'GET', '/api/user/verify', { token, trusted: true });
    });

    it.each([
      '',
      ' ',
      'x',
      '.',
      '..',
      '...',
      'a.b.c',
      'null',
      'undefined',
      '=',
      '{}',
      '%00',
      "' or 1=1 --",
      'x'.repeat(100_000),
      'Bearer Bearer',
    ])('that is none: %j', async (token) => {
      await expectUnauthorized(token);
    });

    it.each([
      'Basic YWxhZGRpbjpvcGVuc2VzYW1l',
      'Bearer',
      'bearer',
      'Bearer\t',
      'Digest x',
      'Bearer a, Bearer b',
      '\u00ff\u00fe',
    ])('in a header that is none: %j', async (authorization) => {
      await expectRefusal(401, 'UNAUTHORIZED', 'GET', '/api/user/verify', { headers: { authorization } });
    });

    it('that is not read where none is wanted', async () => {
      const answer = await scene.house.api('POST', '/api/user/request-direct-login', { token: 'garbage' });
      expect(answer.status).toBe(200);
    });
  });
});

describe.each(engines)('a session that has ended on %s', (engine) => {
  it('has no use for its token, however valid that is', async () => {
    await using house = await openHouse(engine);
    const { token, username, password, memberId } = await house.register();
    const verify = async (one: string) => await house.api('GET', '/api/user/verify', { token: one });
    const login = async (): Promise<string> =>
      (await house.api('POST', '/api/user/login', { body: { username, password } })).body.data.token;

    // Its row has expired, its token says that it has not.
    const forever = new SignJWT({ ...decodeJwt(token), exp: 99_999_999_999 }).setProtectedHeader({ alg: 'HS256' });
    const everlasting = await forever.sign(house.ctx.keys.token);
    expect((await verify(everlasting)).status).toBe(200);
    house.clock.advance(house.ctx.config.sessions.lifetimeMs - 1000);
    expect((await verify(token)).status).toBe(200);
    house.clock.advance(1000);
    expectFailure(await verify(token), 401, 'UNAUTHORIZED');
    expectFailure(await verify(everlasting), 401, 'UNAUTHORIZED');

    const second = await login();
    expect((await house.api('POST', '/api/user/logout', { token: second })).status).toBe(200);
    expectFailure(await verify(second), 401, 'UNAUTHORIZED');

    const third = await login();
    const administrator = await house.administrator();
    await house.api('POST', `/api/admin/members/${memberId}/suspend`, { token: administrator.token });
    expectFailure(await verify(third), 401, 'UNAUTHORIZED');
  });
});
