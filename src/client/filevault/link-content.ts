import { createHash } from 'node:crypto';
import { CHUNK, openHeader, openSegment, sealedLength, segmentsOf } from '../../crypto/chunked-encryption.ts';
import { blockContext, blockSize } from '../../crypto/file-content.ts';
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
      const hash = createHash('sha3-512');
      const header = await source.read(CHUNK.headerBytes);
      hash.update(header);
      const keys = openHeader(key, blockContext(named, place), header);
      if (keys === undefined) throw damaged('A part of the file is not what was sealed.');
      const segments = segmentsOf(plain(place));
      for (let index = 0; index < segments; index += 1) {
        const isLast = index === segments - 1;
        const length = isLast ? plain(place) % CHUNK.segmentBytes : CHUNK.segmentBytes;
        const sealed = await source.read(length + CHUNK.tagBytes);
        hash.update(sealed);
        const segment = openSegment(keys, index, sealed);
        if (segment === undefined) throw damaged('A part of the file is not what was sealed.');
        yield segment;
      }
      // The tags have authenticated every byte. That it is the very block of the manifest is one more promise, and costs little here.
      if (hash.digest('hex') !== manifest.hashes[place])
        throw damaged('A part of the file is not the one that its manifest names.');
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
