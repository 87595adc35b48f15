import { createHash } from 'node:crypto';
import { toHex } from '../crypto/bytes.ts';
import type { Upload } from '../raw-bodies.ts';

/** A body that may come again, with another try of the same request. */
export interface KnownUpload {
  /** what the service reads, instead of the one that it was made of */
  readonly upload: Upload;
  /** whether it was read to its end, where what is wrong with it would have been said */
  isWhole(): boolean;
  /**
   * What the content is, or what its sender says that it is: by that a repeat is told from another request, and a body that nobody reads
   * again needn't be stored. Where they say nothing, all of it is read.
   * @returns its type and SHA-256
   */
  name(): Promise<string>;
}

export function knownUpload(given: Upload): KnownUpload {
  let found = given.digests.sha256 && toHex(given.digests.sha256);
  let state: 'unread' | 'begun' | 'whole' = 'unread';
  const hash = found === undefined ? createHash('sha256') : undefined;
  async function* read(): AsyncGenerator<Uint8Array> {
    state = 'begun';
    for await (const piece of given.body) {
      hash?.update(piece);
      yield piece;
    }
    found ??= hash?.digest('hex');
    state = 'whole';
  }
  const upload = { ...given, body: read() };
  return {
    upload,
    isWhole: () => state === 'whole',
    async name() {
      if (found === undefined && state === 'begun')
        throw new Error('a kept reply is looked for while the body is read: look before, or after');
      if (found === undefined)
        for await (const _ of upload.body) {
          // It is hashed on the way.
        }
      return `${given.type} ${found}`;
    },
  };
}
