import type { Reshare } from '../../contract/quorum/reshares.ts';
import type { UnsealSession } from '../../contract/quorum/sessions.ts';
import { constantTimeEqual, fromHex, toHex } from '../../crypto/bytes.ts';
import { memberIdOf } from '../../crypto/public-key.ts';
import { headerText, joinKey, wrapShare, type DocumentHeader } from '../../crypto/formats/quorum/document.ts';
import { splitSecret } from '../../crypto/shamir.ts';
import { Problem } from '../../base/problem.ts';

/** A share as it is uploaded, in hex. */
interface DealtShare {
  readonly memberId: string;
  readonly encryptedShare: string;
  readonly salt: string;
  readonly commitment: string;
}

/**
 * Splits a key for the holders of a re-sharing. Every share is joined with others to the same key before it is encrypted.
 *
 * @param memberIds who is to get a share, sorted
 * @throws Problem network BAD_REPLY if the server names other holders or keys; internal when the shares don't join to the key
 */
export async function dealtShares(
  key: Uint8Array,
  { documentId, holders, sharesRequired, epochNumber, toGeneration: generation }: Reshare,
  memberIds: readonly string[],
): Promise<DealtShare[]> {
  const isForeign = holders.some(({ memberId, publicKey }) => memberIdOf(fromHex(publicKey)) !== memberId);
  const named = holders.map(({ memberId }) => memberId).toSorted();
  if (isForeign || named.join() !== memberIds.join())
    throw new Problem('network', 'BAD_REPLY', 'The server named other holders than those that were chosen.');
  const shares = await splitSecret(key, holders.length, sharesRequired);
  try {
    await assertJoins(key, shares, sharesRequired);
    return holders.map(({ memberId, publicKey }, at) => {
      const place = { documentId, memberId, epochNumber, generation };
      const wrapped = wrapShare(fromHex(publicKey), shares[at] ?? new Uint8Array(), place);
      const { encryptedShare, salt, commitment } = wrapped;
      return { memberId, encryptedShare: toHex(encryptedShare), salt: toHex(salt), commitment };
    });
  } finally {
    for (const share of shares) share.fill(0);
  }
}

/** Joins each share with those that follow it, so that every one is part of a set that gives the key. */
async function assertJoins(key: Uint8Array, shares: readonly Uint8Array[], required: number): Promise<void> {
  const ring = [...shares, ...shares];
  for (let from = 0; from < shares.length; from += required) {
    const joined = await joinKey(ring.slice(from, from + required));
    const isSame = constantTimeEqual(joined, key);
    joined.fill(0);
    if (!isSame)
      throw new Problem(
        'internal',
        'INTERNAL_ERROR',
        'The new shares do not give the key. Nothing was changed. Try again.',
      );
  }
}

/**
 * The header of a new key, which has to say what this client knows of the document.
 * @throws Problem network BAD_REPLY
 */
export function assertHeader(reshare: Reshare, { sealing }: UnsealSession): string {
  const { documentId, holders, sharesRequired, epochNumber, toGeneration: generation, header = '' } = reshare;
  const { creatorId } = JSON.parse(sealing?.header ?? '{}') as Pick<DocumentHeader, 'creatorId'>;
  const memberIds = holders.map(({ memberId }) => memberId).toSorted();
  if (header !== headerText({ documentId, creatorId, memberIds, sharesRequired, epochNumber, generation }))
    throw new Problem('network', 'BAD_REPLY', 'The server named another document than the one that is shared anew.');
  return header;
}
