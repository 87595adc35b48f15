import { systemRandom, toHex, utf8, type Random } from '../../bytes.ts';
import { canonicalJson, canonicalJsonBytes } from '../../canonical-json.ts';
import { CryptoError } from '../../crypto-error.ts';
import { eciesDecrypt, eciesEncrypt } from '../../ecies.ts';
import { sha256 } from '../../hash.ts';
import { openWithKey, sealWithKey } from '../../sealing.ts';
import { combineShares, splitSecret } from '../../shamir.ts';

/**
 * A sealed document: its content under a random key (AES-256-GCM), the key split by Shamir's secret sharing, each share encrypted to its
 * member (ECIES). These functions are pure; servers and clients use the same.
 */

/** Authenticated with the content. It says how the content was sealed at first; later shares can have other members. */
export interface DocumentHeader {
  readonly documentId: string;
  readonly creatorId: string;
  /** ids of the members of the quorum, sorted */
  readonly memberIds: readonly string[];
  readonly sharesRequired: number;
  readonly epochNumber: number;
  readonly generation: number;
}

/** 32 bytes */
export const DOCUMENT_KEY_LENGTH = 32;
const SALT_LENGTH = 32;
const SHARE_LENGTH = DOCUMENT_KEY_LENGTH + 1;

/** The header as text. Its exact bytes are authenticated with the content. */
export function headerText(header: DocumentHeader): string {
  const { documentId, creatorId, memberIds, sharesRequired, epochNumber, generation } = header;
  const fields = { documentId, creatorId, memberIds, sharesRequired, epochNumber, generation };
  return canonicalJson({ t: 'conclave-quorum-document', v: 1, ...fields });
}

/** @param key 32 random bytes, for this content alone. @throws CryptoError */
export function sealDocument(
  key: Uint8Array,
  header: string,
  content: Uint8Array,
  random: Random = systemRandom,
): Uint8Array {
  return sealWithKey(key, content, utf8(header), random);
}

/** @throws CryptoError when the key, the header or the ciphertext is another one */
export function openDocument(key: Uint8Array, header: string, sealed: Uint8Array): Uint8Array {
  return openWithKey(key, sealed, utf8(header));
}

/** Where a share belongs. A share that was encrypted for one place opens for no other. */
export interface SharePlace {
  readonly documentId: string;
  readonly memberId: string;
  /** epoch of the shares */
  readonly epochNumber: number;
  readonly generation: number;
}

/** A share as the node keeps it. */
export interface WrappedShare {
  readonly memberId: string;
  /** ECIES to the member */
  readonly encryptedShare: Uint8Array;
  /** 32 bytes */
  readonly salt: Uint8Array;
  /** SHA-256 of salt and share, hex: it names a damaged share, and tells nothing about it */
  readonly commitment: string;
}

function shareContext({ documentId, memberId, epochNumber, generation }: SharePlace): Uint8Array {
  return canonicalJsonBytes({ t: 'conclave-quorum-share', v: 1, documentId, memberId, epochNumber, generation });
}

/** Wraps a share for its member. @param publicKey 33 bytes. @throws CryptoError */
export function wrapShare(
  publicKey: Uint8Array,
  share: Uint8Array,
  place: SharePlace,
  random: Random = systemRandom,
): WrappedShare {
  const salt = random(SALT_LENGTH);
  return {
    memberId: place.memberId,
    encryptedShare: eciesEncrypt(publicKey, share, shareContext(place), 'basic', random),
    salt,
    commitment: commitmentOf(salt, share),
  };
}

/** Splits a key and wraps a share for each member. @throws CryptoError for fewer than 2 or more than 255 members */
export async function wrapKey(
  key: Uint8Array,
  members: readonly { readonly memberId: string; readonly publicKey: Uint8Array }[],
  sharesRequired: number,
  place: Omit<SharePlace, 'memberId'>,
  random: Random = systemRandom,
): Promise<WrappedShare[]> {
  const shares = await splitSecret(key, members.length, sharesRequired);
  return members.map(({ memberId, publicKey }, at) => {
    const share = shares[at] ?? new Uint8Array();
    const wrapped = wrapShare(publicKey, share, { ...place, memberId }, random);
    share.fill(0);
    return wrapped;
  });
}

/** A member opens their share. @throws CryptoError when it is damaged, or made for another member, document, epoch or generation */
export function unwrapShare(
  privateKey: Uint8Array,
  wrapped: Pick<WrappedShare, 'encryptedShare' | 'salt' | 'commitment'>,
  place: SharePlace,
): Uint8Array {
  const share = eciesDecrypt(privateKey, wrapped.encryptedShare, shareContext(place));
  assertCommitted(share, wrapped);
  return share;
}

/** Whether this is the share that was wrapped. @throws CryptoError */
export function assertCommitted(
  share: Uint8Array,
  { salt, commitment }: Pick<WrappedShare, 'salt' | 'commitment'>,
): void {
  // Neither side is secret: the commitment stands in the store.
  if (share.length !== SHARE_LENGTH || commitmentOf(salt, share) !== commitment)
    throw new CryptoError('share is not the one that was made');
}

function commitmentOf(salt: Uint8Array, share: Uint8Array): string {
  return toHex(sha256(salt, share));
}

/** The key, from at least as many shares as were required. Wrong shares give a wrong key, which opens nothing. @throws CryptoError */
export async function joinKey(shares: readonly Uint8Array[]): Promise<Uint8Array> {
  return await combineShares(shares);
}
