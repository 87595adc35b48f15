import { describe, expect, it } from 'vitest';
import { generateMnemonic } from '../../../../src/crypto/mnemonic.ts';
import { memberIdOf } from '../../../../src/crypto/public-key.ts';
import { identityOf, sessionKey } from '../../../support/member-key.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { openHouse, type House } from '../../../support/house.ts';
import { engines } from '../../../support/stores.ts';

const known = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

describe.each(engines)('registration on %s', (engine) => {
  it('creates everything that belongs to a member and signs them in', async () => {
    await using house = await openHouse(engine);
    const body = { username: 'Ada_L', email: 'Ada@Example.org', password: 'analytical engines' };
    const answer = await house.api('POST', '/api/user/register', { body });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      message: expect.any(String),
      data: {
        token: expect.any(String),
        memberId: expect.stringMatching(/^[0-9a-f]{24}$/),
        energyBalance: 1000,
        mnemonic: expect.any(String),
      },
    });
    const { token, memberId, mnemonic } = answer.body.data;
    const identity = await identityOf(mnemonic);
    expect(memberIdOf(identity.publicKey)).toBe(memberId);
    expect(await sessionKey(house, token)).toBe(toHex(identity.privateKey));

    const { user } = (await house.api('GET', '/api/user/verify', { token })).body;
    const registeredAt = '2026-01-15T12:00:00.000Z';
    expect(user).toEqual({
      id: memberId,
      username: 'Ada_L',
      email: 'Ada@Example.org',
      roles: [
        {
          _id: `role-${memberId}`,
          name: 'User',
          admin: false,
          member: true,
          child: false,
          system: false,
          createdAt: registeredAt,
          updatedAt: registeredAt,
          createdBy: memberId,
          updatedBy: memberId,
        },
      ],
      rolePrivileges: { admin: false, member: true, child: false, system: false },
      emailVerified: false,
      timezone: 'UTC',
      siteLanguage: 'en',
      darkMode: false,
      currency: 'USD',
      directChallenge: false,
      lastLogin: registeredAt,
    });
    const profile = (await house.api('GET', '/api/user/profile', { token })).body.data;
    expect(profile).toMatchObject({
      energyBalance: 1000,
      availableBalance: 1000,
      earned: 0,
      spent: 0,
      reserved: 0,
      reputation: 0.5,
      profile: {
        status: 'active',
        storageUsed: '0',
        settings: { autoReplication: true, minRedundancy: 3, preferredRegions: [] },
      },
    });
    const social = await house.ctx.db.selectFrom('social_profiles').selectAll().execute();
    expect(social).toMatchObject([{ member_id: memberId, display_name: 'Ada_L' }]);
  });

  it('derives the identity from a phrase that is given, in any spelling, and does not repeat it', async () => {
    await using house = await openHouse(engine);
    const body = {
      username: 'first',
      email: 'first@example.org',
      password: 'analytical engines',
      mnemonic: `  ${known.toUpperCase()} `,
    };
    const answer = await house.api('POST', '/api/user/register', { body });
    expect(answer.status).toBe(201);
    expect(answer.body.data).not.toHaveProperty('mnemonic');
    // The known answer of BIP32 at m/44'/60'/0'/0/0.
    expect(await sessionKey(house, answer.body.data.token)).toMatch(/^1ab42cc4.*b727$/);
  });

  it('takes phrases of every length', async () => {
    await using house = await openHouse(engine);
    for (const words of [12, 15, 18, 21, 24] as const) {
      const mnemonic = generateMnemonic(words);
      const body = {
        username: `words-${words}`,
        email: `${words}@example.org`,
        password: 'analytical engines',
        mnemonic,
      };
      const answer = await house.api('POST', '/api/user/register', { body });
      const { publicKey } = await identityOf(mnemonic);
      expect(answer).toMatchObject({ status: 201, body: { data: { memberId: memberIdOf(publicKey) } } });
    }
  });

  it('refuses names, addresses and phrases that are taken, whatever their case', async () => {
    await using house = await openHouse(engine);
    await house.register({ username: 'taken', email: 'taken@example.org', mnemonic: known });
    const fresh = { username: 'fresh', email: 'fresh@example.org', password: 'analytical engines' };
    for (const [change, error, path] of [
      [{ username: 'TAKEN' }, 'USERNAME_TAKEN', 'username'],
      [{ email: 'Taken@EXAMPLE.org' }, 'EMAIL_TAKEN', 'email'],
      [{ mnemonic: known }, 'MNEMONIC_IN_USE', 'mnemonic'],
      [{ mnemonic: `${known}.`.slice(0, -2) }, 'MNEMONIC_INVALID', 'mnemonic'],
      [{ mnemonic: known.replace('about', 'abandon') }, 'MNEMONIC_INVALID', 'mnemonic'],
      [{ password: 'fresh123' }, 'PASSWORD_WEAK', 'password'],
    ] as const) {
      const answer = await house.api('POST', '/api/user/register', { body: { ...fresh, ...change } });
      expect(answer).toMatchObject({ status: 400, body: { error, message: expect.any(String), errors: [{ path }] } });
    }
    expect(await countAll(house)).toEqual({
      members: 1,
      member_credentials: 1,
      member_settings: 1,
      member_profiles: 1,
      energy_accounts: 1,
      social_profiles: 1,
      sessions: 1,
    });
    expect((await house.api('POST', '/api/user/register', { body: fresh })).status).toBe(201);
  });

  it('says which fields are missing or wrong, all at once', async () => {
    await using house = await openHouse(engine);
    const answer = await house.api('POST', '/api/user/register', { body: { username: 'a b', email: 'nobody' } });
    expect(answer).toMatchObject({ status: 400, body: { error: 'VALIDATION_ERROR' } });
    expect(answer.body.errors.map((error: { path: string }) => error.path).toSorted()).toEqual([
      'email',
      'password',
      'username',
    ]);
  });

  it('lets exactly one of many registrations of one name through', async () => {
    await using house = await openHouse(engine);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        house.api('POST', '/api/user/register', {
          body: {
            username: index % 2 ? 'racer' : 'RACER',
            email: `racer-${index}@example.org`,
            password: 'analytical engines',
          },
        }),
      ),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.body.error === 'USERNAME_TAKEN')).toHaveLength(5);
    expect(await countAll(house)).toMatchObject({ members: 1, sessions: 1, energy_accounts: 1 });
  });

  it('that fails at its last step has never begun', async () => {
    await using house = await openHouse(engine);
    await house.ctx.store.exclusively(async (db) => await db.schema.alterTable('sessions').renameTo('away').execute());
    const body = { username: 'halfway', email: 'halfway@example.org', password: 'analytical engines' };
    const answer = await house.api('POST', '/api/user/register', { body });
    expect(answer).toMatchObject({ status: 500, body: { error: 'INTERNAL_ERROR' } });
    await house.ctx.store.exclusively(async (db) => await db.schema.alterTable('away').renameTo('sessions').execute());
    expect(new Set(Object.values(await countAll(house)))).toEqual(new Set([0]));
    expect((await house.api('POST', '/api/user/register', { body })).status).toBe(201);
  });

  it('never makes an administrator, not even of the first member', async () => {
    await using house = await openHouse(engine);
    const body = {
      username: 'sneaky',
      email: 's@example.org',
      password: 'analytical engines',
      type: 'Admin',
      roles: ['admin'],
      role: 'System',
    };
    const { token } = (await house.api('POST', '/api/user/register', { body })).body.data;
    const { user } = (await house.api('GET', '/api/user/verify', { token })).body;
    expect(user.rolePrivileges).toMatchObject({ admin: false, system: false });
    expect((await house.api('GET', '/api/admin/members', { token })).status).toBe(403);
  });

  it('keeps neither password, phrase, token nor private key', async () => {
    await using house = await openHouse(engine);
    const body = { username: 'alice', email: 'alice@example.org', password: 'analytical engines' };
    const alice = { ...body, ...(await house.api('POST', '/api/user/register', { body })).body.data };
    const identity = await identityOf(alice.mnemonic);
    const tables = ['members', 'member_credentials', 'sessions', 'backup_codes'] as const;
    await house.api('POST', '/api/user/backup-codes', { token: alice.token });
    const { jti } = JSON.parse(Buffer.from(alice.token.split('.')[1], 'base64url').toString()) as { jti: string };
    const secrets = [alice.password, alice.mnemonic, alice.token, jti].map((text) => Buffer.from(text));
    secrets.push(Buffer.from(identity.privateKey), Buffer.from(jti, 'base64url'));
    for (const table of tables) {
      const rows = await house.ctx.db.selectFrom(table).selectAll().execute();
      expect(rows.length, table).toBeGreaterThan(0);
      for (const value of rows.flatMap((row) => Object.values(row))) {
        const bytes =
          typeof value === 'string'
            ? Buffer.from(value)
            : value instanceof Uint8Array
              ? Buffer.from(value)
              : Buffer.from(String(value));
        for (const secret of secrets) {
          expect(bytes.includes(secret)).toBe(false);
          expect(bytes.includes(secret.toString('hex'))).toBe(false);
        }
      }
    }
    const written = JSON.stringify(house.log.lines);
    for (const secret of secrets)
      for (const form of ['utf8', 'hex', 'base64', 'base64url'] as const)
        expect(written).not.toContain(secret.toString(form));
  });
});

async function countAll(house: House): Promise<Record<string, number>> {
  const tables = [
    'members',
    'member_credentials',
    'member_settings',
    'member_profiles',
    'energy_accounts',
    'social_profiles',
    'sessions',
  ] as const;
  const counts = await Promise.all(
    tables.map(async (table) => [table, (await house.ctx.db.selectFrom(table).selectAll().execute()).length]),
  );
  return Object.fromEntries(counts) as Record<string, number>;
}
