import { describe, expect, it, vi } from 'vitest';
import { login as signIn } from '../../../src/services/accounts/signing-in/sign-in.ts';
import type { HeavyWork } from '../../../src/service/context.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { heavyWork } from '../../../src/service/heavy-work.ts';
import { identityOf, sessionKey } from '../../support/member-key.ts';
import { openHouse, type House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';

interface Argon2Options {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}
/** What Argon2 was asked for, and did: its work is counted, since how long it takes is the machine's business. */
const stretched: Argon2Options[] = [];
vi.mock('argon2', async (original) => {
  const argon2 = await original<{ hash: (password: Buffer, options: Argon2Options) => Promise<Buffer> }>();
  return {
    ...argon2,
    hash: async (password: Buffer, options: Argon2Options) => {
      stretched.push(options);
      return await argon2.hash(password, options);
    },
  };
});

const guest = { kind: 'guest', address: 'test', userAgent: '' } as const;

const login = async (house: House, username: string, password: string) =>
  await house.api('POST', '/api/user/login', { body: { username, password } });

describe.each(engines)('sign-in with a password on %s', (engine) => {
  it('takes a username or an e-mail address, whatever their case', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register({ username: 'Alice', email: 'Alice@Example.org' });
    for (const name of ['Alice', 'aLICE', 'Alice@Example.org', 'alice@example.ORG']) {
      const answer = await login(house, name, alice.password);
      expect(answer).toMatchObject({ status: 200, body: { data: { memberId: alice.memberId, energyBalance: 1000 } } });
    }
  });

  it('takes the same password however it was composed', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register({ password: 'caf\u00e9 au lait' });
    expect((await login(house, alice.username, 'cafe\u0301 au lait')).status).toBe(200);
    expect((await login(house, alice.username, 'cafe au lait')).status).toBe(401);
  });

  it('notes the time of the last sign-in', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    house.clock.advance(3_600_000);
    const { token } = (await login(house, alice.username, alice.password)).body.data;
    const { user } = (await house.api('GET', '/api/user/verify', { token })).body;
    expect(user.lastLogin).toBe('2026-01-15T13:00:00.000Z');
  });

  it('opens the private key into the session', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const { token } = (await login(house, alice.username, alice.password)).body.data;
    expect(await sessionKey(house, token)).toBe(toHex((await identityOf(alice.mnemonic)).privateKey));
  });

  it('answers every failure alike, with the same work done', async () => {
    let turns = 0;
    const heavy: HeavyWork = {
      async run(work) {
        turns += 1;
        return await work();
      },
      of: () => heavy,
    };
    await using house = await openHouse(engine, { context: { heavy } });
    const boss = await house.administrator();
    const alice = await house.register();
    const gone = await house.register();
    await house.api('POST', `/api/admin/members/${gone.memberId}/suspend`, { token: boss.token });
    const answers = [];
    for (const [name, password] of [
      ['nobody', 'whatever it may be'],
      ['nobody@example.org', 'whatever it may be'],
      [alice.username, 'whatever it may be'],
      [alice.email, ''.padEnd(256, 'x')],
      [gone.username, gone.password],
      [gone.username, 'whatever it may be'],
    ] as const) {
      turns = 0;
      const { status, body } = await login(house, name, password);
      answers.push({ status, body, turns });
    }
    expect(answers[0]).toMatchObject({ status: 401, body: { error: 'INVALID_CREDENTIALS' }, turns: 1 });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it.each([
    ['raised', 4_096, 16_384],
    ['lowered', 16_384, 4_096],
  ])(
    'takes as much work for a name that nobody has as for a password that was stretched before the cost was %s',
    async (_how, before, after) => {
      const cost = (memoryKib: number) => ({ memoryKib, passes: 2, lanes: 1, pbkdf2Iterations: 100_000 });
      await using house = await openHouse(engine, { config: { passwords: cost(before) } });
      const alice = await house.register();
      const changed: House['ctx'] = { ...house.ctx, config: { ...house.ctx.config, passwords: cost(after) } };
      // One of them has signed in since.
      const bob = await house.register();
      await signIn(changed, guest, { username: bob.username, password: bob.password });
      // Argon2's work is its memory times its passes, on so many lanes.
      const work: Record<string, number> = {};
      for (const username of ['nobody', alice.username, bob.username]) {
        stretched.length = 0;
        const attempt = signIn(changed, guest, { username, password: 'wrong password' });
        await expect(attempt).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
        work[username] = stretched.reduce((sum, { memoryCost, timeCost }) => sum + memoryCost * timeCost, 0);
        expect(stretched.every(({ parallelism }) => parallelism === 1)).toBe(true);
      }
      const most = 16_384 * 2;
      expect(work).toEqual({ nobody: most, [alice.username]: most, [bob.username]: most });
    },
  );

  it.each([
    ['more', { memoryKib: 512, passes: 2, lanes: 1, pbkdf2Iterations: 110_000 }],
    ['less', { memoryKib: 128, passes: 1, lanes: 1, pbkdf2Iterations: 100_000 }],
    ['other lanes', { memoryKib: 256, passes: 1, lanes: 2, pbkdf2Iterations: 100_000 }],
  ])('stretches the password anew when configuration asks for %s, and only then', async (_what, passwords) => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const before = await credentialsOf(house, alice);
    await withPasswords(house, house.ctx.config.passwords, alice);
    expect(await credentialsOf(house, alice)).toEqual(before);

    await withPasswords(house, passwords, alice);
    const after = await credentialsOf(house, alice);
    expect(after).toMatchObject({
      memory_kib: passwords.memoryKib,
      passes: passwords.passes,
      lanes: passwords.lanes,
      pbkdf2_iterations: passwords.pbkdf2Iterations,
    });
    expect(after.argon2_salt).not.toEqual(before.argon2_salt);

    const { token } = (await login(house, alice.username, alice.password)).body.data;
    expect(await sessionKey(house, token)).toBe(toHex((await identityOf(alice.mnemonic)).privateKey));
    expect((await login(house, alice.username, 'not it at all')).status).toBe(401);
  });

  it('lets all of several sign-ins at once through while the cost is raised', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const config = {
      ...house.ctx.config,
      passwords: { memoryKib: 512, passes: 2, lanes: 1, pbkdf2Iterations: 100_000 },
    };
    const signedIn = await Promise.all(
      Array.from({ length: 4 }, () =>
        signIn({ ...house.ctx, config }, guest, { username: alice.username, password: alice.password }),
      ),
    );
    for (const { data } of signedIn)
      expect(await sessionKey(house, data.token)).toBe(toHex((await identityOf(alice.mnemonic)).privateKey));
  });

  it('answers 503 when too many passwords wait to be checked', async () => {
    const heavy = heavyWork({ atOnce: 1, queued: 1 });
    await using house = await openHouse(engine, { context: { heavy } });
    let release = () => {};
    const busy = heavy.run(() => new Promise<void>((resolve) => (release = resolve)));
    const patient = login(house, 'nobody', 'whatever it may be');
    await expect.poll(() => heavy.waiting).toBe(1);
    const refused = await login(house, 'nobody', 'whatever it may be');
    expect(refused).toMatchObject({ status: 503, body: { error: 'OVERLOADED' } });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    release();
    await busy;
    expect((await patient).status).toBe(401);
  });

  it('says what is missing', async () => {
    await using house = await openHouse(engine);
    const answer = await house.api('POST', '/api/user/login', { body: { username: 'alice' } });
    expect(answer).toMatchObject({ status: 400, body: { error: 'VALIDATION_ERROR', errors: [{ path: 'password' }] } });
  });
});

async function credentialsOf(house: House, member: HouseMember) {
  return await house.ctx.db
    .selectFrom('member_credentials')
    .selectAll()
    .where('member_id', '=', member.memberId)
    .executeTakeFirstOrThrow();
}

/** Signs in to the same store under another configuration, as after a restart. */
async function withPasswords(
  house: House,
  passwords: House['ctx']['config']['passwords'],
  member: HouseMember,
): Promise<void> {
  const ctx = { ...house.ctx, config: { ...house.ctx.config, passwords } };
  await signIn(ctx, guest, { username: member.username, password: member.password });
}
