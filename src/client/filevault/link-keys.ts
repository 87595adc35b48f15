import { fromHex, toHex } from '../../crypto/bytes.ts';
import { sealedLength } from '../../crypto/formats/file-content/chunked-encryption.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { eciesDecrypt } from '../../crypto/ecies.ts';
import {
  blockSize,
  openManifest,
  sharedKeyContext,
  type Manifest,
  type Named,
} from '../../crypto/formats/file-content/file-content.ts';
import { keyPairOf } from '../../crypto/key-pair.ts';
import { Problem } from '../../base/problem.ts';
import type { LinkInfo } from './link-info.ts';

/** All that it takes to read the blocks of a content. */
export interface OpenedLink {
  readonly key: Uint8Array;
  readonly named: Named;
  readonly manifest: Manifest;
}

/**
 * Opens the key of a content and its manifest, and compares what the server said with what the manifest says.
 *
 * @param privateKey of the link, or of its recipient
 * @throws Problem invalid KEY_INVALID if the key is the one of another link or person; network DIGEST_MISMATCH
 */
export function openLink(info: LinkInfo, privateKey: Uint8Array): OpenedLink {
  const meant = info.recipientPublicKey ?? info.ephemeralPublicKey;
  const own = ownPublicKey(privateKey);
  if (own === undefined || (meant != null && meant.toLowerCase() !== own))
    throw new Problem(
      'invalid',
      'KEY_INVALID',
      info.mode === 'recipient_public_key'
        ? 'This key is not the one that the file is encrypted to.'
        : 'What is behind the # of the link is the key of another link. Was the link changed?',
    );
  const named = { id: info.contentId, file_id: info.fileId };
  const key = contentKey(info, privateKey, named);
  const sealed = Buffer.from(info.manifest ?? '', 'base64');
  const manifest = key && openManifest(key, named, sealed);
  if (
    key === undefined ||
    manifest === undefined ||
    manifest.size !== info.sizeBytes ||
    bytesSent(manifest) !== info.sealedBytes
  )
    throw damaged('What the server says of the file does not fit what is sealed in its manifest.');
  return { key, named, manifest };
}

function ownPublicKey(privateKey: Uint8Array): string | undefined {
  try {
    return toHex(keyPairOf(privateKey).publicKey);
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}

function contentKey(info: LinkInfo, privateKey: Uint8Array, named: Named): Uint8Array | undefined {
  try {
    const key = eciesDecrypt(privateKey, fromHex(info.wrappedKey ?? ''), sharedKeyContext(info.id, named));
    return key.length === 32 ? key : undefined;
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}

/** Bytes of all blocks, sealed. */
function bytesSent(manifest: Manifest): number {
  return manifest.hashes.reduce((sum, _, place) => sum + sealedLength(blockSize(manifest, place)), 0);
}

export function damaged(what: string): Problem {
  return new Problem(
    'network',
    'DIGEST_MISMATCH',
    `${what} It is damaged, or was changed on the server. Tell the sender.`,
  );
}
