import { sealedLength } from '../../../crypto/formats/file-content/chunk-format.ts';
import {
  manifestLabel,
  plainBlockSize,
  readShape,
  sharedKeyLabel,
  type Named,
  type Shape,
} from '../../../crypto/formats/file-content/content-format.ts';
import { importContentKey, openWhole } from './chunked.ts';
import { openSealed, publicKeyOf } from './ecies.ts';
import { LinkFailure, type FailureKind } from './failure.ts';
import type { LinkInfo } from './link-api.ts';
import { areEqual, fromBase64Text, fromHexText, utf8Of, type Octets } from './octets.ts';

/** All that decryption needs. It passes between the page and its worker. */
export interface Opened {
  readonly key: CryptoKey;
  readonly named: Named;
  readonly shape: Shape;
}

/**
 * Opens the key of a content and its manifest, and compares what the server said with what the manifest says.
 *
 * @param privateKey of the link or of its recipient; it is erased
 * @param otherKey what it means if it is the key of another link, or of another person
 * @throws LinkFailure
 */
export async function openContent(info: LinkInfo, privateKey: Octets, otherKey: FailureKind): Promise<Opened> {
  const named = { id: info.contentId, file_id: info.fileId };
  const sealedKey = fromHexText(info.wrappedKey ?? '');
  const manifest = fromBase64Text(info.manifest ?? '');
  const meant = fromHexText(info.recipientPublicKey ?? info.ephemeralPublicKey ?? '');
  try {
    const own = publicKeyOf(privateKey);
    if (own === undefined || (meant?.length === own.length && !areEqual(own, meant))) throw new LinkFailure(otherKey);
    if (sealedKey === undefined || manifest === undefined) throw new LinkFailure('damaged');
    const key = await openSealed(privateKey, sealedKey, sharedKeyLabel(info.id, named));
    if (key?.length !== 32) throw new LinkFailure('damaged');
    const contentKey = await importContentKey(key);
    key.fill(0);
    const plain = await openWhole(contentKey, utf8Of(manifestLabel(named)), manifest);
    const shape = plain && readShape(plain);
    if (shape === undefined || shape.size !== info.sizeBytes || sealedSize(shape) !== info.sealedBytes)
      throw new LinkFailure('damaged');
    return { key: contentKey, named, shape };
  } finally {
    privateKey.fill(0);
  }
}

function sealedSize(shape: Shape): number {
  if (shape.blocks === 0) return 0;
  return (shape.blocks - 1) * sealedLength(shape.chunkSize) + sealedLength(plainBlockSize(shape, shape.blocks - 1));
}
