import type { UnsealSession } from '../../contract/quorum/sessions.ts';
import { fromHex, toHex } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { sha256Hex } from '../../crypto/hash.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { memberIdOf } from '../../crypto/public-key.ts';
import { openContribution } from '../../crypto/formats/quorum/contribution.ts';
import { assertCommitted } from '../../crypto/formats/quorum/document.ts';
import { contributionStatement } from '../../crypto/formats/quorum/statements.ts';
import { verify } from '../../crypto/signature.ts';

/** A contribution that can't be used, and why, for people. */
export interface Unusable {
  readonly memberId: string;
  readonly why: string;
}

/** What a session has collected, as the client that asked can judge it. */
export interface Judged {
  /** of members whose contributions are the shares that were made for them */
  readonly shares: ReadonlyMap<string, Uint8Array>;
  readonly unusable: readonly Unusable[];
}

type Contribution = UnsealSession['contributions'][number];
type Holder = NonNullable<UnsealSession['sealing']>['holders'][number];

/** Opens and checks each contribution: it must be signed by the key that the member is named after, and be the share that was committed to. */
export function judged(session: UnsealSession, keys: KeyPair): Judged {
  const holders = new Map(session.sealing?.holders.map((holder) => [holder.memberId, holder]));
  const shares = new Map<string, Uint8Array>();
  const unusable: Unusable[] = [];
  for (const contribution of session.contributions) {
    const { memberId } = contribution;
    const opened = opening(session, keys, contribution, holders.get(memberId));
    if (typeof opened === 'string') unusable.push({ memberId, why: opened });
    else shares.set(memberId, opened);
  }
  return { shares, unusable };
}

/** @returns the share, or why it can't be used */
function opening(
  session: UnsealSession,
  keys: KeyPair,
  { memberId, encryptedShare, signature }: Contribution,
  holder: Holder | undefined,
): Uint8Array | string {
  if (holder === undefined || encryptedShare === undefined) return 'has no share of this document';
  const { id: sessionId, documentId, generation } = session;
  try {
    const encrypted = fromHex(encryptedShare);
    // The key is this client's own, whatever the server says that it is.
    const place = { sessionId, documentId, generation, memberId, ephemeralPublicKey: toHex(keys.publicKey) };
    const statement = contributionStatement({ ...place, shareHash: sha256Hex(encrypted) });
    const publicKey = fromHex(holder.publicKey);
    if (memberIdOf(publicKey) !== memberId || !verify(publicKey, statement, fromHex(signature)))
      return 'was not signed by this member';
    const share = openContribution(keys.privateKey, encrypted, place);
    assertCommitted(share, { salt: fromHex(holder.salt), commitment: holder.commitment });
    return share;
  } catch (error) {
    if (error instanceof CryptoError) return 'is damaged, or is no share of this document';
    throw error;
  }
}
