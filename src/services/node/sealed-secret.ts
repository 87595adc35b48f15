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
  const { sealed, ...how } = await sealUnder(passphrase, secret, contextOf(nodeId), random);
  return { ...how, sealed: toHex(sealed) };
}

/** @throws Problem invalid PASSPHRASE_WRONG */
export async function openNodeSecretSeal(
  { sealed, ...how }: SealedSecret,
  nodeId: string,
  passphrase: string,
): Promise<Uint8Array> {
  return await openUnder(
    passphrase,
    { ...how, sealed: fromHex(sealed) },
    contextOf(nodeId),
    'the node secret in this backup',
  );
}

/** What is sealed under a passphrase, and how the passphrase becomes a key. */
export interface Sealed extends Omit<SealedSecret, 'sealed'> {
  readonly sealed: Uint8Array;
}

export async function sealUnder(
  passphrase: string,
  plain: Uint8Array,
  context: Uint8Array,
  random: Random,
): Promise<Sealed> {
  const salt = random(saltBytes);
  const key = await argon2id(utf8(normalizePassword(passphrase)), salt, cost, 32);
  return { kdf: 'argon2id', ...cost, salt: toHex(salt), sealed: sealWithKey(key, plain, context, random) };
}

/** @param what the passphrase opens, for the message. @throws Problem invalid PASSPHRASE_WRONG */
export async function openUnder(
  passphrase: string,
  { memoryKiB, passes, lanes, salt, sealed }: Sealed,
  context: Uint8Array,
  what: string,
): Promise<Uint8Array> {
  const how = { memoryKiB, passes, lanes };
  try {
    return openWithKey(await argon2id(utf8(normalizePassword(passphrase)), fromHex(salt), how, 32), sealed, context);
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    throw new Problem('invalid', 'PASSPHRASE_WRONG', `Wrong passphrase: it does not open ${what}.`, { cause });
  }
}

function contextOf(nodeId: string): Uint8Array {
  return utf8(`conclave/backup/node-secret/v1/${nodeId}`);
}
