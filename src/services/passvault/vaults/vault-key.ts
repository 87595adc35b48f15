import type { Context } from '../../../service/context.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { checkMasterPassword, deriveVaultKey, hashMasterPassword } from '../../../crypto/master-password.ts';
import type { Argon2Parameters } from '../../../crypto/password.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import type { PassvaultVaultRow } from '../../../platform/store/tables/passvault.ts';
import { unwrapSeed } from './sealing.ts';

const SALT_LENGTH = 16;

/**
 * OWASP's minimum for Argon2id, at the memory size that adds the least time to bcrypt's 12 rounds: 11 % of their time, and on another
 * thread. An attacker with the store but without the node secret has no seed, and so can't check guesses against this.
 */
const stretching: Argon2Parameters = { memoryKiB: 12_288, passes: 3, lanes: 1 };

/** The stored data of a master password. */
export type MasterColumns = Pick<
  PassvaultVaultRow,
  'password_hash' | 'argon2_salt' | 'memory_kib' | 'passes' | 'lanes'
>;

export interface NewMaster {
  readonly columns: MasterColumns;
  readonly vaultKey: Uint8Array;
}

/** Needs one turn of heavy work. */
export async function newMaster(ctx: Context, vaultId: string, seed: Uint8Array, password: string): Promise<NewMaster> {
  const salt = ctx.random(SALT_LENGTH);
  const [passwordHash, vaultKey] = await ctx.heavy.run(() =>
    Promise.all([
      hashMasterPassword(password, ctx.config.vaults.bcryptRounds),
      deriveVaultKey(seed, password, salt, stretching, vaultId),
    ]),
  );
  const { memoryKiB: memory_kib, passes, lanes } = stretching;
  return { columns: { password_hash: passwordHash, argon2_salt: salt, memory_kib, passes, lanes }, vaultKey };
}

/**
 * Checks a master password. The key is derived on another thread at the same time. Needs one turn of heavy work.
 * @returns the vault key, 32 bytes, or undefined for a wrong password
 */
export async function openMaster(
  ctx: Context,
  vault: MasterColumns & Pick<PassvaultVaultRow, 'id' | 'wrapped_seed'>,
  password: string,
): Promise<Uint8Array | undefined> {
  const seed = unwrapSeed(ctx, vault.id, vault.wrapped_seed);
  const cost = { memoryKiB: vault.memory_kib, passes: vault.passes, lanes: vault.lanes };
  const [right, vaultKey] = await ctx.heavy.run(() =>
    Promise.all([
      checkMasterPassword(password, vault.password_hash),
      deriveVaultKey(seed, password, vault.argon2_salt, cost, vault.id),
    ]),
  );
  return right ? vaultKey : undefined;
}

export function wrapDataKey(
  ctx: Context,
  vaultId: string,
  keyVersion: number,
  vaultKey: Uint8Array,
  dataKey: Uint8Array,
): Uint8Array {
  return sealWithKey(vaultKey, dataKey, wrapContext(vaultId, keyVersion), ctx.random);
}

/** @throws CryptoError */
export function unwrapDataKey(
  vault: Pick<PassvaultVaultRow, 'id' | 'key_version' | 'wrapped_key'>,
  vaultKey: Uint8Array,
): Uint8Array {
  return openWithKey(vaultKey, vault.wrapped_key, wrapContext(vault.id, vault.key_version));
}

function wrapContext(vaultId: string, keyVersion: number): Uint8Array {
  return utf8(`conclave/passvault/data-key/v1/${vaultId}/${keyVersion}`);
}
