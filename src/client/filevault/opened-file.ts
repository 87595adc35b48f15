import { filevault } from '../../contract/filevault.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { fromHex } from '../../crypto/bytes.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { contentKeyContext, openManifest, type Manifest, type Named } from '../../crypto/file-content.ts';
import { openWithKey } from '../../crypto/sealing.ts';
import { openBlocks } from '../../crypto/sealed-stream.ts';
import { Problem } from '../../problem.ts';
import { download, downloadTo, type BodyOptions, type Sink } from '../bodies.ts';
import { perform, type Caller } from '../perform.ts';
import type { ClientContainer } from './keyring.ts';

/** A version of a file in a client-encrypted container, whose key and list of blocks are known. */
export interface OpenedFile {
  readonly named: Named;
  readonly versionId: string;
  /** of the content */
  readonly key: Uint8Array;
  readonly manifest: Manifest;
}

type GivenKeys = ReplyOf<typeof filevault.showFileKeys>;

interface Wanted {
  readonly id: string;
  readonly versionId?: string | undefined;
}

/**
 * Opens what the server says of a file. The file that was asked for is part of every context, so what belongs to another does not open.
 *
 * @param keyOf the key of a content, by what the server says of it
 * @throws Problem internal FILE_DAMAGED
 */
export async function openFile(
  caller: Caller,
  { id, versionId }: Wanted,
  keyOf: (given: GivenKeys, named: Named) => Promise<Uint8Array>,
): Promise<OpenedFile> {
  const wanted = { id, ...(versionId !== undefined && { versionId }) };
  const given = await perform(caller, filevault.showFileKeys, wanted);
  const named = { id: given.contentId, file_id: id };
  if (versionId !== undefined && given.versionId !== versionId) throw notAsStored();
  const key = await keyOf(given, named);
  const manifest = openManifest(key, named, Buffer.from(given.manifest, 'base64'));
  if (manifest?.size !== given.sizeBytes || manifest.chunkSize !== given.chunkSize) throw notAsStored();
  return { named, versionId: given.versionId, key, manifest };
}

/** The key of a content, from its wrap under the key of the container. @throws Problem internal FILE_DAMAGED */
export function opened(
  containerKey: Uint8Array,
  { id }: ClientContainer,
  number: number,
  named: Named,
  wrapped: string,
): Uint8Array {
  try {
    return openWithKey(containerKey, fromHex(wrapped), contentKeyContext(id, number, named));
  } catch (error) {
    throw error instanceof CryptoError ? notAsStored() : error;
  }
}

/** Downloads a file and writes its plaintext, which is right when this returns. After a broken connection it goes on at the same place. */
export async function receiveFile(
  caller: Caller,
  { named, versionId, key, manifest }: OpenedFile,
  sink: Sink,
  options: BodyOptions = {},
): Promise<void> {
  let opener = openBlocks(key, named, manifest);
  const opening: Sink = {
    async write(bytes) {
      const pieces = opener.push(bytes);
      if (pieces === undefined) throw notAsStored();
      for (const piece of pieces) await sink.write(piece);
    },
    async restart() {
      opener = openBlocks(key, named, manifest);
      await sink.restart();
    },
  };
  await downloadTo(caller, filevault.downloadSealed, { id: named.file_id, versionId }, opening, options);
  if (!opener.isWhole()) throw notAsStored();
}

/** The same as a stream. Each piece is authenticated for its place in the file. */
export async function* readFile(
  caller: Caller,
  { named, versionId, key, manifest }: OpenedFile,
): AsyncGenerator<Uint8Array> {
  const opener = openBlocks(key, named, manifest);
  const { body } = await download(caller, filevault.downloadSealed, { id: named.file_id, versionId });
  for await (const bytes of body) {
    const pieces = opener.push(bytes);
    if (pieces === undefined) throw notAsStored();
    yield* pieces;
  }
  if (!opener.isWhole()) throw notAsStored();
}

export function notAsStored(): Problem {
  return new Problem(
    'internal',
    'FILE_DAMAGED',
    'What the server sent is not the file as a member stored it: something of it was changed, or belongs to another file or version.',
  );
}
