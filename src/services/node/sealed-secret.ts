import { fromHex, systemRandom, toHex, utf8, type Random } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { argon2id, normalizePassword } from '../../crypto/password.ts';
import { openWithKey, sealWithKey } from '../../crypto/sealing.ts';
import { Problem } from '../../base/problem.ts';
import type { SealedSecret } from '../../platform/store/backup/manifest.ts';

/**
 * The second recommendation of RFC 9106 (64 MiB, 3 passes), with one lane. Anyone who has the backup can guess the passphrase offline, so
 * the cost is high. The passphrase is stretched only once in months.
 */
const cost = { memoryKiB: 65_536, passes: 3, lanes: 1 } as const;

const saltBytes = 32;

/** Encrypts the node secret with a passphrase, for a backup of the node that the secret belongs to. */
export async function sealNodeSecret(
  secret: Uint8Array,
  nodeId: string,
  passphrase: string,
  random: Random = systemRandom,
): Promise<SealedSecret> {
  const salt = random(saltBytes);
  const key = await argon2id(utf8(normalizePassword(passphrase)), salt, cost, 32);
  return {
    kdf: 'argon2id',
    ...cost,
    salt: toHex(salt),
    sealed: toHex(sealWithKey(key, secret, contextOf(nodeId), random)),
  };
}

/** @throws Problem invalid PASSPHRASE_WRONG */
export async function openNodeSecretSeal(
  sealed: SealedSecret,
  nodeId: string,
  passphrase: string,
): Promise<Uint8Array> {
  const { memoryKiB, passes, lanes } = sealed;
  try {
    const key = await argon2id(
      utf8(normalizePassword(passphrase)),
      fromHex(sealed.salt),
      { memoryKiB, passes, lanes },
      32,
    );
    return openWithKey(key, fromHex(sealed.sealed), contextOf(nodeId));
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    throw new Problem(
      'invalid',
      'PASSPHRASE_WRONG',
      'Wrong passphrase: it does not open the node secret in this backup.',
      {
        cause,
      },
    );
  }
}

function contextOf(nodeId: string): Uint8Array {
  return utf8(`conclave/backup/node-secret/v1/${nodeId}`);
}
