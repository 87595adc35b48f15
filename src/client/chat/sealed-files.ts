import { plain, systemRandom, utf8 } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { openWithKey, sealWithKey } from '../../crypto/sealing.ts';
import { Problem } from '../../base/problem.ts';
import type { SaidFile } from './sealed-messages.ts';

const FILE = utf8('conclave/chat-file/v1');
/** What the node sees of a file, instead of its name and its type. */
export const sealedName = 'file';
export const sealedType = 'application/octet-stream';

/** Seals a file under a key of its own. @returns with the key in base64, for the message that has the file */
export function sealFile(bytes: Uint8Array): { readonly sealed: Uint8Array; readonly key: string } {
  const key = systemRandom(32);
  return { sealed: sealWithKey(key, bytes, FILE), key: Buffer.from(key).toString('base64') };
}

/** @throws Problem network MESSAGE_DAMAGED if it is not the file that the message has */
export function openFile({ filename, size, key }: SaidFile, sealed: Uint8Array): Uint8Array {
  try {
    const bytes = openWithKey(plain(Buffer.from(key, 'base64')), sealed, FILE);
    if (bytes.length === size) return bytes;
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
  }
  const message = `What the node sent is not the file ${JSON.stringify(filename)} of the message. Nothing was written.`;
  throw new Problem('network', 'MESSAGE_DAMAGED', message);
}
