import { randomBytes } from 'node:crypto';
import { fromHex, toHex } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { eciesEncrypt } from '../../crypto/ecies.ts';
import { sharedKeyContext } from '../../crypto/formats/file-content/file-content.ts';
import { generateKeyPair } from '../../crypto/key-pair.ts';
import { compressPublicKey, memberIdOf } from '../../crypto/public-key.ts';
import { Problem } from '../../base/problem.ts';
import type { OpenedFile } from './opened-file.ts';

/** The key of one content for the member that a file is shared with. */
interface WrappedContent {
  readonly contentId: string;
  /** hex */
  readonly wrapped: string;
}

/** Ids of shares and links are part of what is encrypted, so the client makes them. @returns 32 hex digits */
export function newShareId(): string {
  return toHex(new Uint8Array(randomBytes(16)));
}

/**
 * What shares versions of a file of a client-encrypted container with a member.
 * @param files opened versions. @throws Problem network CONTAINER_KEY_FOREIGN if the public key is not the member's
 */
export function keysForMember(
  shareId: string,
  { memberId, publicKey }: { readonly memberId: string; readonly publicKey: string },
  files: readonly Pick<OpenedFile, 'named' | 'key'>[],
): WrappedContent[] {
  const recipient = keyOfMember({ memberId, publicKey });
  return files.map(({ named, key }) => ({
    contentId: named.id,
    wrapped: toHex(eciesEncrypt(recipient, key, sharedKeyContext(shareId, named))),
  }));
}

/** What makes a link to a version of such a file. The private key belongs behind the # of the address, which browsers send to nobody. */
export function keysForLink(
  linkId: string,
  { named, key }: Pick<OpenedFile, 'named' | 'key'>,
): { readonly wrappedKey: string; readonly ephemeralPublicKey: string; readonly privateKey: string } {
  const { privateKey, publicKey } = generateKeyPair();
  return {
    wrappedKey: toHex(eciesEncrypt(publicKey, key, sharedKeyContext(linkId, named))),
    ephemeralPublicKey: toHex(publicKey),
    privateKey: toHex(privateKey),
  };
}

/** The same for a link that one person opens, with a private key of their own. @param publicKey compressed or not, hex */
export function keyForRecipient(
  linkId: string,
  publicKey: string,
  { named, key }: Pick<OpenedFile, 'named' | 'key'>,
): { readonly wrappedKey: string } {
  return { wrappedKey: toHex(eciesEncrypt(pointIn(publicKey), key, sharedKeyContext(linkId, named))) };
}

/** @returns 33 bytes. @throws Problem invalid INPUT_INVALID */
export function pointIn(publicKey: string): Uint8Array {
  try {
    return compressPublicKey(fromHex(publicKey));
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    throw new Problem('invalid', 'INPUT_INVALID', 'This is not a public key of secp256k1 in hex.');
  }
}

/** @throws Problem network CONTAINER_KEY_FOREIGN: an id is a hash of the key, so another key shows */
export function keyOfMember({
  memberId,
  publicKey,
}: {
  readonly memberId: string;
  readonly publicKey: string;
}): Uint8Array {
  const recipient = fromHex(publicKey);
  if (memberIdOf(recipient) === memberId) return recipient;
  throw new Problem(
    'network',
    'CONTAINER_KEY_FOREIGN',
    `The server sent a key that is not that of member ${memberId}.`,
  );
}
