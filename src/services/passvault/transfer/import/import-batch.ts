import { deserialize, serialize } from 'node:v8';
import type { ImportedAttachment, ImportRecord } from './record.ts';

/** Records of one batch: sealing them takes some 10 ms. */
const MOST_RECORDS = 250;
const MOST_LENGTH = 256 * 1024;

type Packed = Omit<ImportRecord, 'attachments'> & {
  readonly attachments: readonly (Omit<ImportedAttachment, 'bytes'> & { readonly content: number })[];
};

/** Packs records into bytes that pass between threads without a copy. The receiver opens one batch after another. */
export function packBatches(records: readonly ImportRecord[]): {
  batches: Uint8Array<ArrayBuffer>[];
  contents: Uint8Array<ArrayBuffer>[];
} {
  const batches: Uint8Array<ArrayBuffer>[] = [];
  const contents: Uint8Array<ArrayBuffer>[] = [];
  // Many entries of KeePass may share one attachment.
  const known = new Map<Uint8Array, number>();
  let batch: Packed[] = [];
  let length = 0;
  const contentOf = (bytes: Uint8Array): number => {
    const at = known.get(bytes) ?? contents.push(ownBytes(bytes)) - 1;
    known.set(bytes, at);
    return at;
  };
  const close = (): void => {
    if (batch.length > 0) batches.push(ownBytes(serialize(batch)));
    batch = [];
    length = 0;
  };
  for (const { entry, createdAt, updatedAt, passwordChangedAt, attachments } of records) {
    batch.push({
      entry,
      ...(createdAt !== undefined && { createdAt }),
      ...(updatedAt !== undefined && { updatedAt }),
      ...(passwordChangedAt !== undefined && { passwordChangedAt }),
      attachments: attachments.map(({ filename, mimeType, bytes }) => ({
        filename,
        mimeType,
        content: contentOf(bytes),
      })),
    });
    length += JSON.stringify(entry).length;
    if (batch.length >= MOST_RECORDS || length >= MOST_LENGTH) close();
  }
  close();
  return { batches, contents };
}

export function openBatch(batch: Uint8Array, contents: readonly Uint8Array[]): ImportRecord[] {
  const records: ImportRecord[] = [];
  for (const { attachments, ...record } of deserialize(batch) as Packed[]) {
    const files = attachments.map(({ filename, mimeType, content }) => ({
      filename,
      mimeType,
      bytes: contents[content] ?? new Uint8Array(),
    }));
    records.push({ ...record, attachments: files });
  }
  return records;
}

/** Only bytes with their own buffer can be transferred. The sender loses the buffer. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}
