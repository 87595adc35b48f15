import type { Context } from '../../../service/context.ts';
import { concat, utf8 } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { eciesDecrypt, eciesEncrypt } from '../../../crypto/ecies.ts';
import { combineShares, splitSecret } from '../../../crypto/shamir.ts';

/** Emergency access is a key pair for one epoch. The data key is wrapped for its public key. The private key exists only as shares. */

const FORM = 0x01;
/** length of the share header: form and epoch */
const SHARE_HEADER = 5;

function wrapContext(vaultId: string, epoch: number): Uint8Array {
  return utf8(`conclave/passvault/emergency-key/v1/${vaultId}/${epoch}`);
}

export function wrapForEmergency(
  ctx: Context,
  vaultId: string,
  epoch: number,
  publicKey: Uint8Array,
  dataKey: Uint8Array,
): Uint8Array {
  return eciesEncrypt(publicKey, dataKey, wrapContext(vaultId, epoch), 'basic', ctx.random);
}

/** @throws CryptoError */
export function unwrapFromEmergency(
  vaultId: string,
  epoch: number,
  privateKey: Uint8Array,
  wrapped: Uint8Array,
): Uint8Array {
  return eciesDecrypt(privateKey, wrapped, wrapContext(vaultId, epoch));
}

/** `0x01 | epoch 4 | share`. With a threshold of one each share is the secret itself. */
export async function makeShares(
  secret: Uint8Array,
  epoch: number,
  count: number,
  threshold: number,
): Promise<Uint8Array[]> {
  const shares =
    threshold === 1 ? Array.from({ length: count }, () => secret) : await splitSecret(secret, count, threshold);
  const header = Buffer.alloc(SHARE_HEADER);
  header.writeUInt8(FORM);
  header.writeUInt32BE(epoch, 1);
  return shares.map((share) => concat(header, share));
}

/**
 * Joins shares of one epoch to a secret. Too few or wrong shares give another secret, which opens nothing.
 * @throws CryptoError for shares that are malformed or of another epoch
 */
export async function joinShares(shares: readonly Uint8Array[], epoch: number, threshold: number): Promise<Uint8Array> {
  const bare = shares.map((share) => {
    const header = Buffer.from(share.subarray(0, SHARE_HEADER));
    if (header.length < SHARE_HEADER || header.readUInt8() !== FORM) throw new CryptoError('share is of another form');
    if (header.readUInt32BE(1) !== epoch) throw new CryptoError('share is of another epoch');
    return share.subarray(SHARE_HEADER);
  });
  const [first] = bare;
  if (first === undefined) throw new CryptoError('there are no shares');
  return threshold === 1 ? first : await combineShares(bare);
}

/** The purpose that a share is encrypted for: storage by its trustee, or use by the node. */
export type SharePurpose = 'share' | 'recovery';

export function shareContext(purpose: SharePurpose, vaultId: string, epoch: number, trusteeId: string): Uint8Array {
  return utf8(`conclave/passvault/emergency-${purpose}/v1/${vaultId}/${epoch}/${trusteeId}`);
}
