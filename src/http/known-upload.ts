import { createHash } from 'node:crypto';
import { toHex } from '../crypto/bytes.ts';
import type { Upload } from '../service/raw-bodies.ts';

/** A body that may come again, with a retry of the same request. */
export interface KnownUpload {
  /** the upload that the service reads, instead of the one from which this was made */
  readonly upload: Upload;
  /** whether the upload was read to its end; an error in it would have been thrown by then */
  isWhole(): boolean;
  /**
   * The identity of the content: computed, or as the sender declares it. It tells a repeat from another request, and a body that nobody
   * reads again needn't be stored. If the sender declares nothing, the whole body is read.
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
          // Reading the content hashes it.
        }
      return `${given.type} ${found}`;
    },
  };
}
