import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../../src/shared/members/authenticate.ts';
import { replaceBackupCodes } from '../../../../src/services/accounts/passwords/backup-codes.ts';
import { recoverBackup } from '../../../../src/services/accounts/passwords/backup-recovery.ts';
import { accounts } from '../../../../src/contract/accounts.ts';
import { backupCodeTag, generateBackupCodes, sealBackupCode } from '../../../../src/crypto/backup-code.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { recordId } from '../../../../src/platform/store/record-id.ts';
import { directAnswer, identityOf, sessionKey } from '../../../support/member-key.ts';
import { openHouse, type House } from '../../../support/house.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { engines } from '../../../support/stores.ts';

const newPassword = 'a different thing';

async function createCodes(house: House, token: string): Promise<string[]> {
  return (await house.perform(accounts.createBackupCodes, {}, token)).body.backupCodes;
}

const count = async (house: House, token: string) =>
  (await house.perform(accounts.countBackupCodes, {}, token)).body.codeCount;

const recover = async (house: House, token: string, input: { backupCode: string; newPassword?: string }) =>
  await house.perform(accounts.recoverBackup, input, token);

/** A session without the private key. */
async function keyless(house: House, member: HouseMember): Promise<string> {
  return (await house.perform(accounts.directChallenge, await directAnswer(house, member))).body.token;
}

/** As they were made in sessions without the private key, before that was refused. */
async function storeKeylessCode(house: House, memberId: string): Promise<string> {
  const { clock, config, db, keys, random } = house.ctx;
  const [code = ''] = generateBackupCodes(1, random);
  const { memoryKib, passes, lanes } = config.passwords;
  const sealed = await sealBackupCode(code, memberId, null, keys.identity.publicKey, {
    memoryKiB: memoryKib,
    passes,
    lanes,
  });
  const tag = backupCodeTag(keys.backupCode, memberId, code);
  const created_at = clock.now();
  await db
    .insertInto('backup_codes')
    .values({ id: recordId(created_at, random), member_id: memberId, tag, sealed, created_at })
    .execute();
  return code;
}

describe.each(engines)('backup codes on %s', (engine) => {
  it('come ten at a time, each once, in four groups of five', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    expect(await count(house, alice.token)).toBe(0);
    const codes = await createCodes(house, alice.token);
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/);
    expect(await count(house, alice.token)).toBe(10);
  });

  it('are replaced by a new set, by POST as by PUT', async () => {
    await using house = await openHouse(engine);
    const [alice, bob] = [await house.register(), await house.register()];
    const first = await createCodes(house, alice.token);
    const ofBob = await createCodes(house, bob.token);
    const second = (await house.perform(accounts.replaceBackupCodes, {}, alice.token)).body.backupCodes as string[];
    const third = await createCodes(house, alice.token);
    for (const code of [first[0]!, second[0]!, ofBob[0]!, 'AAAAA-BBBBB-CCCCC-DDDDD', 'nonsense', '-']) {
      const answer = await recover(house, alice.token, { backupCode: code, newPassword });
      expect(answer).toMatchObject({ status: 401, body: { error: 'INVALID_BACKUP_CODE' } });
    }
    expect(await count(house, alice.token)).toBe(10);
    expect((await recover(house, alice.token, { backupCode: third[0]! })).body.codeCount).toBe(9);
    expect(await count(house, bob.token)).toBe(10);
  });

  it('are used up one by one, and compare without case or dashes', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const codes = await createCodes(house, alice.token);
    const spellings = [
      (code: string) => code.toLowerCase(),
      (code: string) => code.replaceAll('-', ''),
      (code: string) => code.replaceAll('-', ' '),
    ];
    for (const [index, spell] of spellings.entries()) {
      const answer = await recover(house, alice.token, { backupCode: spell(codes[index]!) });
      expect(answer).toMatchObject({ status: 200, body: { message: expect.any(String), codeCount: 9 - index } });
      expect((await recover(house, alice.token, { backupCode: codes[index]! })).status).toBe(401);
    }
    // Without a new password nothing but the code is used up.
    expect((await house.perform(accounts.login, { username: alice.username, password: alice.password })).status).toBe(
      200,
    );
  });

  it('let exactly one of several uses at once through', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const [code] = await createCodes(house, alice.token);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => recover(house, alice.token, { backupCode: code! })),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.body.error === 'INVALID_BACKUP_CODE')).toHaveLength(9);
    expect(await count(house, alice.token)).toBe(9);
  });

  it('truly set a new password: it opens the old private key, from a session that has no key', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const codes = await createCodes(house, alice.token);
    const token = await keyless(house, alice);
    const answer = await recover(house, token, { backupCode: codes[9]!, newPassword });
    expect(answer).toMatchObject({ status: 200, body: { codeCount: 9 } });
    expect((await house.perform(accounts.login, { username: alice.username, password: alice.password })).status).toBe(
      401,
    );
    const login = await house.perform(accounts.login, { username: alice.username, password: newPassword });
    expect(await sessionKey(house, login.body.data.token)).toBe(toHex((await identityOf(alice.mnemonic)).privateKey));
    // Every session but the caller's has ended.
    expect((await house.perform(accounts.verify, {}, alice.token)).status).toBe(401);
    expect((await house.perform(accounts.verify, {}, token)).status).toBe(200);
  });

  it('still open the key after the password was changed and the account recovered', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const codes = await createCodes(house, alice.token);
    await house.perform(
      accounts.changePassword,
      { currentPassword: alice.password, newPassword: 'in between, changed' },
      alice.token,
    );
    const { email, mnemonic } = alice;
    const recovered = await house.perform(accounts.recover, { email, mnemonic, newPassword: 'and then recovered' });
    const { token } = recovered.body.data;
    expect((await recover(house, token, { backupCode: codes[0]!, newPassword })).status).toBe(200);
    const login = await house.perform(accounts.login, { username: alice.username, password: newPassword });
    expect(await sessionKey(house, login.body.data.token)).toBe(toHex((await identityOf(mnemonic)).privateKey));
  });

  it('are not made in a session without the private key, and good ones stay', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const codes = await createCodes(house, alice.token);
    const token = await keyless(house, alice);
    for (const operation of [accounts.createBackupCodes, accounts.replaceBackupCodes]) {
      const refused = await house.perform(operation, {}, token);
      expect(refused).toMatchObject({ status: 403, body: { error: 'KEY_LOCKED' } });
    }
    expect(await count(house, token)).toBe(10);
    expect((await recover(house, token, { backupCode: codes[0]!, newPassword })).status).toBe(200);
    const login = await house.perform(accounts.login, { username: alice.username, password: newPassword });
    expect(await sessionKey(house, login.body.data.token)).toBe(toHex((await identityOf(alice.mnemonic)).privateKey));
  });

  it('that an earlier version made without the key take it from the session, and are not used up where that has none', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const token = await keyless(house, alice);
    const code = await storeKeylessCode(house, alice.memberId);
    const locked = await recover(house, token, { backupCode: code, newPassword });
    expect(locked).toMatchObject({ status: 403, body: { error: 'KEY_LOCKED' } });
    expect(await count(house, token)).toBe(1);
    expect((await recover(house, alice.token, { backupCode: code, newPassword })).status).toBe(200);
    const login = await house.perform(accounts.login, { username: alice.username, password: newPassword });
    expect(await sessionKey(house, login.body.data.token)).toBe(toHex((await identityOf(alice.mnemonic)).privateKey));
  });

  it('are not used up by a password that is refused', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const [code] = await createCodes(house, alice.token);
    const answer = await recover(house, alice.token, { backupCode: code!, newPassword: alice.username });
    expect(answer).toMatchObject({ status: 400, body: { error: 'PASSWORD_WEAK' } });
    expect(await count(house, alice.token)).toBe(10);
    const missing = await house.api('POST', '/api/user/recover-backup', { token: alice.token, body: {} });
    expect(missing).toMatchObject({ status: 400, body: { errors: [{ path: 'backupCode' }] } });
  });

  it('are not made, and set no password, by a session that ends meanwhile', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const [code] = await createCodes(house, alice.token);
    for (const attempt of ['make', 'use'] as const) {
      const token = await house.signIn(alice);
      const actor = await authenticate(house.ctx, token, { address: 'test', userAgent: 'test' }, { local: false });
      const run = async <T>(work: () => Promise<T>) => {
        await house.perform(accounts.logout, {}, token);
        return await work();
      };
      const ctx = { ...house.ctx, heavy: { ...house.ctx.heavy, run } };
      const outcome =
        attempt === 'make'
          ? replaceBackupCodes(ctx, actor)
          : recoverBackup(ctx, actor, { backupCode: code ?? '', newPassword });
      await expect(outcome).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    }
    expect(await count(house, alice.token)).toBe(10);
    expect((await house.perform(accounts.login, { username: alice.username, password: alice.password })).status).toBe(
      200,
    );
  });
});
