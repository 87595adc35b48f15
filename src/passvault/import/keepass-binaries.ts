import { gunzip } from 'node:zlib';
import { fromBase64 } from './file-text.ts';
import type { XmlNode } from './keepass-tree.ts';
import { childOf, childrenOf, saysTrue, wordIn } from './keepass-tree.ts';
import { mimeTypeOf, plainName } from './mime-type.ts';
import { MAX_INFLATED_BYTES } from './zip-entries.ts';
import type { ImportedAttachment } from './record.ts';

export interface KeePassBinary {
  readonly filename: string;
  /** Undefined: it isn't in the file, can't be read, or is too large. */
  readonly attachment: ImportedAttachment | undefined;
}

/** Attachments stand once under `Meta` and are referred to, or stand in their entry; base64, perhaps compressed by gzip. */
export function readBinaries(meta: XmlNode | undefined): { of(entry: XmlNode): Promise<KeePassBinary[]> } {
  const pool = new Map<string, XmlNode>();
  for (const binary of childrenOf(childOf(meta, 'Binaries'), 'Binary')) pool.set(binary.attributes.ID ?? '', binary);
  let left = MAX_INFLATED_BYTES;

  async function contentOf(node: XmlNode): Promise<Uint8Array | undefined> {
    const packed = saysTrue(node.attributes.Protected) ? undefined : fromBase64(node.text);
    if (packed === undefined || packed.length > left) return undefined;
    const content = saysTrue(node.attributes.Compressed) ? await inflated(packed, left) : Uint8Array.from(packed);
    left -= content?.length ?? 0;
    return content;
  }

  return {
    async of(entry) {
      const found: KeePassBinary[] = [];
      for (const binary of childrenOf(entry, 'Binary')) {
        const value = childOf(binary, 'Value');
        const reference = value?.attributes.Ref;
        const source = reference === undefined ? value : pool.get(reference);
        const bytes = source && (await contentOf(source));
        const filename = plainName(wordIn(binary, 'Key'));
        found.push({ filename, attachment: bytes && { filename, mimeType: mimeTypeOf(filename), bytes } });
      }
      return found;
    },
  };
}

async function inflated(packed: Buffer, limit: number): Promise<Uint8Array | undefined> {
  return await new Promise((resolve) => {
    gunzip(packed, { maxOutputLength: Math.max(limit, 1) }, (error, content) => resolve(error ? undefined : content));
  });
}
