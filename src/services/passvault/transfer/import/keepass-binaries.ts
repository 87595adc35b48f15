import { gunzip } from 'node:zlib';
import { attachmentTooLarge, attachmentTooMany, MAX_ATTACHMENT_BYTES } from './draft.ts';
import { fromBase64 } from './file-text.ts';
import type { XmlNode } from './keepass-tree.ts';
import { childOf, childrenOf, saysTrue, wordIn } from './keepass-tree.ts';
import { mimeTypeOf, plainName } from './mime-type.ts';
import { MAX_INFLATED_BYTES } from './zip-entries.ts';
import type { ImportedAttachment } from './record.ts';

export interface KeePassBinary {
  readonly filename: string;
  /** Undefined if it isn't in the file, or can't be read. */
  readonly attachment: ImportedAttachment | undefined;
}

/** Attachments are stored once in `Meta` and referred to, or stored in their entry; as base64, maybe compressed with gzip. */
export function readBinaries(meta: XmlNode | undefined): { of(entry: XmlNode): Promise<KeePassBinary[]> } {
  const pool = new Map<string, XmlNode>();
  for (const binary of childrenOf(childOf(meta, 'Binaries'), 'Binary')) pool.set(binary.attributes.ID ?? '', binary);
  let left = MAX_INFLATED_BYTES;
  /** Caches contents and failures, so nothing is read twice. */
  const read = new Map<XmlNode, { readonly size: number; content: Uint8Array | undefined }>();

  /** @throws Problem if it is too large, or one too many; the message has its file name in this entry */
  async function contentOf(node: XmlNode, filename: string): Promise<Uint8Array | undefined> {
    const again = read.get(node);
    const packed = again || saysTrue(node.attributes.Protected) ? undefined : fromBase64(node.text);
    const isCompressed = saysTrue(node.attributes.Compressed);
    const size = again?.size ?? (isCompressed ? sizeOfGzip(packed) : (packed?.length ?? 0));
    const kept = again ?? { size, content: undefined };
    read.set(node, kept);
    if (size > MAX_ATTACHMENT_BYTES) throw attachmentTooLarge(filename, size);
    // The size is counted before inflating, because a damaged attachment costs the same work. Every entry with it counts it again, because
    // each entry gets its own copy in the vault.
    if (size > left) throw attachmentTooMany(filename);
    left -= size;
    if (packed) kept.content = isCompressed ? await inflated(packed, size) : Uint8Array.from(packed);
    return kept.content;
  }

  return {
    async of(entry) {
      const found: KeePassBinary[] = [];
      for (const binary of childrenOf(entry, 'Binary')) {
        const value = childOf(binary, 'Value');
        const reference = value?.attributes.Ref;
        const source = reference === undefined ? value : pool.get(reference);
        const filename = plainName(wordIn(binary, 'Key'));
        const bytes = source && (await contentOf(source, filename));
        found.push({ filename, attachment: bytes && { filename, mimeType: mimeTypeOf(filename), bytes } });
      }
      return found;
    },
  };
}

/** The size that gzip states at its end (RFC 1952, ISIZE); inflating stops there. 0 if it isn't gzip. */
function sizeOfGzip(packed: Buffer | undefined): number {
  if (packed === undefined || packed.length < 18 || packed.readUInt16BE(0) !== 0x1f8b) return 0;
  return packed.readUInt32LE(packed.length - 4);
}

async function inflated(packed: Buffer, size: number): Promise<Uint8Array | undefined> {
  return await new Promise((resolve) => {
    gunzip(packed, { maxOutputLength: Math.max(size, 1) }, (error, content) => resolve(error ? undefined : content));
  });
}
