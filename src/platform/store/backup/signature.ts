import { createHash } from 'node:crypto';
import { fromHex, toHex, utf8 } from '../../../crypto/bytes.ts';
import type { KeyPair } from '../../../crypto/key-pair.ts';
import { nodeIdOf } from '../../../crypto/public-key.ts';
import { sign, verify } from '../../../crypto/signature.ts';
import { damaged } from './damage.ts';
import type { Manifest } from './manifest.ts';

/**
 * The text that a node signs for a backup. The node signs no such text for another purpose. The hashes in the manifest make the signature
 * cover the whole file. The headers of the archive follow from the manifest; see tar.ts.
 */
function signedText(manifest: Uint8Array): Uint8Array {
  return utf8(`conclave/backup/v1\n${createHash('sha3-512').update(manifest).digest('hex')}\n`);
}

/** @param manifest the bytes of manifest.json. @returns the content of manifest.json.signature */
export function signManifest(identity: KeyPair, manifest: Uint8Array): string {
  return `${toHex(sign(identity.privateKey, signedText(manifest)))}\n`;
}

/**
 * The node that signed a backup; undefined when nobody signed it. A wrong signature means damage; it does not count as a missing one.
 *
 * @param bytes of manifest.json
 * @param signature content of manifest.json.signature
 * @throws Problem invalid BACKUP_DAMAGED
 */
export function signerOf(
  { nodeId, publicKey }: Manifest,
  bytes: Uint8Array,
  signature: string | undefined,
): string | undefined {
  if (publicKey === undefined && signature === undefined) return undefined;
  if (publicKey === undefined || signature === undefined) throw damaged('a part of its signature is missing');
  const hex = /^([0-9a-f]{128})\n$/.exec(signature)?.[1];
  if (hex === undefined || !verify(fromHex(publicKey), signedText(bytes), fromHex(hex)))
    throw damaged('its signature does not fit');
  if (nodeIdOf(fromHex(publicKey)) !== nodeId) throw damaged('it is signed by another node than it says');
  return nodeId;
}
