import { randomBytes } from 'node:crypto';
import { fromHex, toHex } from '../../crypto/bytes.ts';
import { eciesEncrypt } from '../../crypto/ecies.ts';
import { sharedKeyContext } from '../../crypto/file-content.ts';
import { generateKeyPair } from '../../crypto/key-pair.ts';
import { memberIdOf } from '../../crypto/public-key.ts';
import { Problem } from '../../problem.ts';
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
  const recipient = fromHex(publicKey);
  if (memberIdOf(recipient) !== memberId)
    throw new Problem(
      'network',
      'CONTAINER_KEY_FOREIGN',
      `The server sent a key that is not that of member ${memberId}.`,
    );
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
