import type { RawInputOf } from '../../../contract/operation.ts';
import type { filevault } from '../../../contract/filevault.ts';
import type { Outgoing } from './outgoing.ts';

/** An upload that the server has begun. */
export interface Session {
  readonly sessionId: string;
  /** bytes of the file in every chunk but the last one */
  readonly chunkSize: number;
  readonly totalChunks: number;
}

/** What happens to a file on its way to the server. The ordinary one changes nothing; that of a client-encrypted container encrypts. */
export interface Cipher {
  /** Whether a later process can go on with an upload of this one. */
  readonly resumes: boolean;
  /** Whether each call of `transform` gives the same bytes. Then their hash goes ahead of them. */
  readonly repeatable: boolean;
  /** fields of the beginning that differ from those of the file */
  beginExtras(): Promise<Partial<RawInputOf<typeof filevault.beginUpload>>>;
  /** bytes of the body of a chunk */
  chunkLength(index: number, session: Session): number;
  transform(index: number, pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** fields of the end; all chunks have been sent */
  finalizeExtras(): Promise<Partial<RawInputOf<typeof filevault.finalizeUpload>>>;
}

export type CipherFor = (outgoing: Outgoing) => Promise<Cipher>;

export const unchanged: CipherFor = async ({ size }) => ({
  resumes: true,
  repeatable: true,
  beginExtras: async () => ({}),
  chunkLength: (index, { chunkSize }) => Math.min(chunkSize, size - index * chunkSize),
  transform: (_, pieces) => pieces,
  finalizeExtras: async () => ({}),
});
