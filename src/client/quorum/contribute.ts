import { quorumSessions, type UnsealSession } from '../../contract/quorum/sessions.ts';
import { fromHex, toHex } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { sha256Hex } from '../../crypto/hash.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { memberIdOf } from '../../crypto/public-key.ts';
import { wrapContribution } from '../../crypto/formats/quorum/contribution.ts';
import { unwrapShare, type SharePlace } from '../../crypto/formats/quorum/document.ts';
import { contributionStatement } from '../../crypto/formats/quorum/statements.ts';
import { sign } from '../../crypto/signature.ts';
import { Problem } from '../../base/problem.ts';
import { perform, type Caller } from '../perform.ts';

/** A share as the node keeps it, in hex. */
interface KeptShare extends SharePlace {
  readonly encryptedShare: string;
  readonly salt: string;
  readonly commitment: string;
}

/** Where a session is. */
export interface SessionPlace {
  readonly documentId: string;
  readonly sessionId: string;
}

/**
 * Gives the caller's share to a session. The share is opened here and encrypted to the key of the session, so the server gets neither the
 * phrase nor the share.
 *
 * @param keys of the member of the quorum
 * @throws Problem conflict UNSEAL_SESSION_ENDED, ALREADY_CONTRIBUTED; invalid SHARE_DECRYPTION_FAILED if the phrase is another member's or
 *   the share is damaged
 */
export async function contribute(
  caller: Caller,
  { documentId, sessionId }: SessionPlace,
  keys: KeyPair,
  signal?: AbortSignal,
): Promise<UnsealSession> {
  const { session } = await perform(caller, quorumSessions.showSession, { documentId, sessionId }, signal);
  const { share } = await perform(caller, quorumSessions.showMyShare, { documentId }, signal);
  if (session.status !== 'open' || share.generation !== session.generation) throw ended(session);
  const { memberId } = share;
  // What the server says of the place is checked by opening the share: it was made for one document, member and generation.
  const own = ownShare(keys, { ...share, documentId });
  try {
    const { ephemeralPublicKey, generation } = session;
    const place = { sessionId, documentId, generation, memberId, ephemeralPublicKey };
    const encrypted = wrapContribution(own, place);
    const statement = contributionStatement({ ...place, shareHash: sha256Hex(encrypted) });
    const given = { encryptedShare: toHex(encrypted), signature: toHex(sign(keys.privateKey, statement)) };
    return (await perform(caller, quorumSessions.contribute, { documentId, sessionId, ...given }, signal)).session;
  } finally {
    own.fill(0);
  }
}

/** Opens a share of the caller's. @throws Problem invalid SHARE_DECRYPTION_FAILED */
export function ownShare(keys: KeyPair, { encryptedShare, salt, commitment, ...place }: KeptShare): Uint8Array {
  if (memberIdOf(keys.publicKey) !== place.memberId)
    throw new Problem(
      'invalid',
      'SHARE_DECRYPTION_FAILED',
      `This is the recovery phrase of another member. Your account is linked to the member ${place.memberId}.`,
    );
  try {
    const wrapped = { encryptedShare: fromHex(encryptedShare), salt: fromHex(salt), commitment };
    return unwrapShare(keys.privateKey, wrapped, place);
  } catch (cause) {
    if (!(cause instanceof CryptoError)) throw cause;
    throw new Problem(
      'invalid',
      'SHARE_DECRYPTION_FAILED',
      'Your share of this document is damaged on the server. Other members have to contribute. Then share the document anew.',
    );
  }
}

/** Why a session takes and gives nothing any more. */
export function ended({ status }: Pick<UnsealSession, 'status'>): Problem {
  const how = { open: 'was ended', completed: 'was completed', cancelled: 'was cancelled', expired: 'has expired' };
  const message = `The session ${how[status]}. Whoever needs the document opens another.`;
  return new Problem('conflict', 'UNSEAL_SESSION_ENDED', message);
}
