import { sealedLength } from '../../crypto/formats/file-content/chunked-encryption.ts';
import { blockSize } from '../../crypto/formats/file-content/file-content.ts';
import { openBlocks } from '../../crypto/formats/file-content/sealed-stream.ts';
import { damaged, type OpenedLink } from './link-keys.ts';
import type { LinkInfo } from './link-info.ts';
import type { LinkSource } from './link-source.ts';

/** Blocks of a file that comes in plaintext have no size of their own. */
const PLAIN_BLOCK = 8 * 1024 * 1024;
const PIECE = 64 * 1024;

/** The parts that a download is made of: after each whole one a later process can go on. */
export interface Parts {
  readonly count: number;
  /** bytes of the file */
  readonly size: number;
  /** bytes of the file in a part */
  plain(place: number): number;
  /** bytes that the server sends for a part */
  sent(place: number): number;
  /** @returns the file's bytes in a part, piece by piece. Each was authenticated before, unless the server decrypts. @throws Problem */
  read(source: LinkSource, place: number): AsyncGenerator<Uint8Array>;
}

/** Of a file that is decrypted here. */
export function sealedParts({ key, named, manifest }: OpenedLink): Parts {
  const plain = (place: number): number => blockSize(manifest, place);
  return {
    count: manifest.hashes.length,
    size: manifest.size,
    plain,
    sent: (place) => sealedLength(plain(place)),
    async *read(source, place) {
      const opener = openBlocks(key, named, manifest, place);
      for (let left = sealedLength(plain(place)); left > 0; left -= Math.min(left, PIECE)) {
        const pieces = opener.push(await source.read(Math.min(left, PIECE)));
        if (pieces === undefined) throw damaged('A part of the file is not what was sealed.');
        yield* pieces;
      }
    },
  };
}

/** Of a file that the server decrypts. Nothing but the connection says that it is right. */
export function plainParts({ sizeBytes }: Pick<LinkInfo, 'sizeBytes'>): Parts {
  const count = Math.ceil(sizeBytes / PLAIN_BLOCK);
  const plain = (place: number): number => Math.min(PLAIN_BLOCK, sizeBytes - place * PLAIN_BLOCK);
  return {
    count,
    size: sizeBytes,
    plain,
    sent: plain,
    async *read(source, place) {
      for (let left = plain(place); left > 0; left -= Math.min(left, PIECE))
        yield await source.read(Math.min(left, PIECE));
    },
  };
}
