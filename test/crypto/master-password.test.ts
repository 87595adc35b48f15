import { createHash, hkdfSync } from 'node:crypto';
import bcrypt from 'bcrypt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, utf8 } from '../../src/crypto/bytes.ts';
import { CryptoError } from '../../src/crypto/crypto-error.ts';
import { checkMasterPassword, deriveVaultKey, hashMasterPassword } from '../../src/crypto/master-password.ts';
import { argon2id } from '../../src/crypto/password.ts';
import { damaged, expectCryptoRejection } from './damage.ts';
import { runs } from '../support/stage.ts';

const cost = { memoryKiB: 64, passes: 1, lanes: 1 };
const seed = new Uint8Array(64).fill(7);
const salt = new Uint8Array(16).fill(9);

describe('a master password', () => {
  it('is kept as bcrypt of base64(SHA-384)', async () => {
    const kept = await hashMasterPassword('correct horse', 4);
    expect(kept).toMatch(/^\$2b\$04\$.{53}$/);
    const digest = createHash('sha384').update('correct horse').digest('base64');
    expect(await bcrypt.compare(digest, kept)).toBe(true);
    expect(await checkMasterPassword('correct horse', kept)).toBe(true);
    expect(await checkMasterPassword('correct horsf', kept)).toBe(false);
  });

  it('counts past 72 bytes and past a zero byte', async () => {
    const [long, zero] = ['x'.repeat(72), 'abc\0'];
    expect(await checkMasterPassword(`${long}b`, await hashMasterPassword(`${long}a`, 4))).toBe(false);
    expect(await checkMasterPassword(`${zero}b`, await hashMasterPassword(`${zero}a`, 4))).toBe(false);
  });

  it('has one spelling', async () => {
    expect(await checkMasterPassword('café ﬁn', await hashMasterPassword('cafe\u0301 fin', 4))).toBe(true);
  });

  it('is refused with rounds that bcrypt does not have', async () => {
    await expect(hashMasterPassword('x', 3)).rejects.toThrow(CryptoError);
    await expect(hashMasterPassword('x', 32)).rejects.toThrow(CryptoError);
    await expect(hashMasterPassword('x', 4.5)).rejects.toThrow(CryptoError);
  });

  it('says false or CryptoError to a kept one that was damaged, and works for no hours', async () => {
    const kept = await hashMasterPassword('correct horse', 4);
    await fc.assert(
      fc.asyncProperty(damaged(utf8(kept)), async (bytes) => {
        const text = Buffer.from(bytes).toString('latin1');
        // Four times as long as the configuration's floor is no damage, but too long for a test.
        fc.pre(!text.startsWith('$2b$14$'));
        const outcome = await checkMasterPassword('correct horse', text).catch((error: unknown) => error);
        if (outcome !== false) expect(outcome).toBeInstanceOf(CryptoError);
      }),
      { numRuns: runs(200) },
    );
    const tail = kept.slice(6);
    for (const head of ['$2b$03', '$2b$19', '$2b$31', '$2b$99', '$2a$04', '$2y$04', '$3b$04', '$2b$4']) {
      await expectCryptoRejection(checkMasterPassword('correct horse', head + tail));
    }
  });
});

describe('a vault key', () => {
  it('is HKDF-SHA256 over seed and Argon2id, with the vault id as info', async () => {
    const stretched = await argon2id(utf8('a password'), salt, cost, 32);
    const expected = new Uint8Array(hkdfSync('sha256', concat(seed, stretched), new Uint8Array(), 'vault-1', 32));
    expect(await deriveVaultKey(seed, 'a password', salt, cost, 'vault-1')).toEqual(expected);
  });

  it('changes with each of its sources', async () => {
    const keys = await Promise.all([
      deriveVaultKey(seed, 'a password', salt, cost, 'vault-1'),
      deriveVaultKey(seed, 'b password', salt, cost, 'vault-1'),
      deriveVaultKey(seed, 'a password', salt, cost, 'vault-2'),
      deriveVaultKey(seed, 'a password', new Uint8Array(16), cost, 'vault-1'),
      deriveVaultKey(new Uint8Array(64), 'a password', salt, cost, 'vault-1'),
      deriveVaultKey(seed, 'a password', salt, { ...cost, passes: 2 }, 'vault-1'),
    ]);
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(keys.length);
    await expect(deriveVaultKey(new Uint8Array(32), 'x', salt, cost, 'v')).rejects.toThrow(CryptoError);
  });
});
