/** The names and sizes in the format of a file's content. Nothing here needs Node, so a page may use it; file-content.ts has the rest. */
export interface Named {
  /** of the content */
  readonly id: string;
  readonly file_id: string;
}

/** What a manifest says of the blocks, but for their hashes. */
export interface Shape {
  /** bytes of the content */
  readonly size: number;
  /** bytes of the plaintext of every block but the last one */
  readonly chunkSize: number;
  readonly blocks: number;
}

export const MANIFEST = { format: 1, headBytes: 13, hashBytes: 64 } as const;

export function blockLabel({ id, file_id }: Named, place: number): string {
  return `conclave/filevault/block/v1|${file_id}|${id}|${place}`;
}

export function manifestLabel({ id, file_id }: Named): string {
  return `conclave/filevault/manifest/v1|${file_id}|${id}`;
}

export function sharedKeyLabel(shareId: string, { id, file_id }: Named): string {
  return `conclave/filevault/shared-key/v1\0${shareId}\0${file_id}\0${id}`;
}

/** @param plaintext of a sealed manifest. @returns undefined if it is none */
export function readShape(plaintext: Uint8Array): Shape | undefined {
  const { format, headBytes, hashBytes } = MANIFEST;
  if (plaintext.length < headBytes || plaintext[0] !== format) return undefined;
  const view = new DataView(plaintext.buffer, plaintext.byteOffset, plaintext.length);
  const size = view.getUint32(1) * 2 ** 32 + view.getUint32(5);
  const chunkSize = view.getUint32(9);
  const blocks = (plaintext.length - headBytes) / hashBytes;
  return blocks === Math.ceil(size / chunkSize) ? { size, chunkSize, blocks } : undefined;
}

/** Bytes of the block at a place, before encryption. @param place from 0, less than the number of blocks */
export function plainBlockSize({ size, chunkSize, blocks }: Shape, place: number): number {
  return place < blocks - 1 ? chunkSize : size - chunkSize * (blocks - 1);
}
