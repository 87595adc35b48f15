import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../src/shared/members/authenticate.ts';
import { checkedTokens } from '../../../src/shared/members/checked-tokens.ts';
import { jtiHash } from '../../../src/shared/members/live-session.ts';
import { mintOperatorToken, readSessionToken, signSessionToken } from '../../../src/shared/members/tokens.ts';
import { operatorId } from '../../../src/service/actor.ts';
import { deriveNodeKeys } from '../../../src/config/node-keys.ts';
import type { Problem } from '../../../src/base/problem.ts';
import { openHouse } from '../../support/house.ts';
import { runs } from '../../support/stage.ts';

const now = Date.UTC(2026, 0, 15);
const iat = now / 1000;
const key = randomBytes(32);
const claims = {
  memberId: 'a'.repeat(24),
  username: 'alice',
  type: 'User',
  jti: new Uint8Array(32).fill(1),
  iat,
  exp: iat + 60,
} as const;
const payload = {
  memberId: claims.memberId,
  username: 'alice',
  type: 'User',
  jti: Buffer.alloc(32, 1).toString('base64url'),
  iat,
  exp: iat + 60,
};
const caller = { address: 'test', userAgent: '' };

async function signed(fields: object, options: { alg?: string; key?: Uint8Array } = {}): Promise<string> {
  return await new SignJWT({ ...fields }).setProtectedHeader({ alg: options.alg ?? 'HS256' }).sign(options.key ?? key);
}

describe('session tokens', () => {
  it('read back what was signed', async () => {
    expect(await readSessionToken(key, await signSessionToken(key, claims), now)).toEqual(claims);
    expect(await readSessionToken(key, await signed(payload), now)).toEqual(claims);
  });

  it('are refused where anything is wrong with them', async () => {
    const without = (name: string) => Object.fromEntries(Object.entries(payload).filter(([field]) => field !== name));
    const longKey = randomBytes(64);
    const bad = {
      'alg none': new UnsecuredJWT(payload).encode(),
      'alg none with a signature': `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await signed(payload)).split('.').slice(1).join('.')}`,
      HS512: await signed(payload, { alg: 'HS512', key: longKey }),
      'another key': await signed(payload, { key: randomBytes(32) }),
      expired: await signed({ ...payload, exp: iat }),
      'an audience': await signed({ ...payload, aud: 'operator' }),
      'not valid yet': await signed({ ...payload, nbf: iat + 10 }),
      'a short jti': await signed({ ...payload, jti: 'AAAA' }),
      'a number for a text': await signed({ ...payload, memberId: 5 }),
      'an unknown type': await signed({ ...payload, type: 'Root' }),
      empty: '',
      dots: '..',
      ...Object.fromEntries(
        await Promise.all(Object.keys(payload).map(async (name) => [`no ${name}`, await signed(without(name))])),
      ),
    };
    for (const [what, token] of Object.entries<string>(bad)) {
      const keyOf = what === 'HS512' ? longKey : key;
      expect([what, await readSessionToken(keyOf, token, now)]).toEqual([what, undefined]);
    }
  });

  it('are refused when a single character was changed, and whatever else comes', async () => {
    const token = await signSessionToken(key, claims);
    const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.webPath(), fc.json());
    const changed = fc
      .tuple(fc.nat(token.length - 2), fc.constantFrom(...Array.from('AZaz09-_.=')))
      .map(([at, by]) => token.slice(0, at) + by + token.slice(at + 1));
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, changed), async (text) => {
        fc.pre(text !== token);
        expect(await readSessionToken(key, text, now)).toBeUndefined();
      }),
      { numRuns: runs(200) },
    );
  });

  it('that were checked before still expire, and are remembered by the whole of them', async () => {
    await using house = await openHouse('sqljs');
    const alice = await house.register();
    const at = house.clock.now();
    const exp = Math.floor(at / 1000) + 60;
    // Of the same session, which lasts longer.
    const read = await readSessionToken(house.ctx.keys.token, alice.token, at);
    const token = await signSessionToken(house.ctx.keys.token, { ...read!, exp });
    const checked = checkedTokens();
    const sent = async (text: string) => await authenticate(house.ctx, text, caller, { local: false, checked });
    const first = await sent(token);
    const remembered = { memberId: read!.memberId, jtiHash: first.jtiHash, exp };
    expect(checked.find(token)).toEqual(remembered);
    house.clock.advance(59_000);
    const again = await sent(token);
    expect(again.jti()).toEqual(read!.jti);
    expect(again).toMatchObject({ memberId: read!.memberId, jtiHash: jtiHash(read!.jti) });
    const refused = { code: 'UNAUTHORIZED' };
    const other = await signed(JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as object);
    await expect(sent(other)).rejects.toMatchObject(refused);
    expect(checked.find(other)).toBeUndefined();
    house.clock.advance(1_000);
    expect(checked.find(token)).toEqual(remembered);
    await expect(sent(token)).rejects.toMatchObject(refused);
  });

  it('are forgotten in the order of their last use', () => {
    const checked = checkedTokens(2);
    const good = { memberId: claims.memberId, jtiHash: '', exp: claims.exp };
    checked.add('a', good);
    checked.add('b', good);
    expect(checked.find('a')).toEqual(good);
    checked.add('c', good);
    expect(['a', 'b', 'c'].map((token) => checked.find(token))).toEqual([good, undefined, good]);
  });
});

describe('operator tokens', () => {
  it('count in process and over the control socket, for a minute', async () => {
    await using house = await openHouse('sqljs');
    const token = await house.operatorToken();
    const actor = await authenticate(house.ctx, token, caller, { local: true });
    expect(actor).toMatchObject({ kind: 'member', memberId: operatorId, type: 'System', sessionId: '' });
    await expect(authenticate(house.ctx, token, caller, { local: false })).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
    expect((await house.api('GET', '/api/admin/members', { token, trusted: true })).status).toBe(200);
    expect((await house.api('GET', '/api/admin/members', { token })).status).toBe(401);
    house.clock.advance(60_000);
    await expect(authenticate(house.ctx, token, caller, { local: true })).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
  });

  it('are refused when they are not exactly what the node mints', async () => {
    await using house = await openHouse('sqljs');
    const seconds = house.clock.now() / 1000;
    const good = { type: 'System', aud: 'operator', sub: operatorId, iat: seconds, exp: seconds + 60 };
    const { operatorToken, token: sessionKey } = house.ctx.keys;
    const attempt = async (fields: object, signingKey = operatorToken) =>
      await authenticate(house.ctx, await signed(fields, { key: signingKey }), caller, { local: true }).then(
        () => 'taken',
        (error: unknown) => (error as Problem).code,
      );
    expect(await attempt(good)).toBe('taken');
    for (const change of [
      { type: 'Admin' },
      { sub: 'f'.repeat(24) },
      { exp: seconds + 61 },
      { iat: seconds + 1, exp: seconds + 30 },
      { iat: undefined },
      { exp: undefined },
      { aud: ['operator', 'x'] },
    ]) {
      expect([change, await attempt({ ...good, ...change })]).toEqual([change, 'UNAUTHORIZED']);
    }
    expect(await attempt(good, sessionKey)).toBe('UNAUTHORIZED');
    const otherNode = deriveNodeKeys(randomBytes(32));
    const foreign = await mintOperatorToken(otherNode, house.clock);
    await expect(authenticate(house.ctx, foreign, caller, { local: true })).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
  });

  it('open no account, since the operator is not a member', async () => {
    await using house = await openHouse('sqljs');
    const token = await house.operatorToken();
    expect((await house.api('GET', '/api/user/verify', { token, trusted: true })).status).toBe(403);
  });
});

describe('tokens of another node', () => {
  it('are refused, though member and session exist here as well', async () => {
    await using house = await openHouse('sqljs');
    const alice = await house.register();
    await using other = await openHouse('sqljs', { context: { store: house.ctx.store, db: house.ctx.db } });
    expect((await other.api('GET', '/api/user/verify', { token: alice.token })).status).toBe(401);
    expect((await house.api('GET', '/api/user/verify', { token: alice.token })).status).toBe(200);
  });
});
