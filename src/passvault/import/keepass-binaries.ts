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
  /** What was read once isn't read again, and what could not be isn't tried again. */
  const read = new Map<XmlNode, Uint8Array | undefined>();

  async function contentOf(node: XmlNode): Promise<Uint8Array | undefined> {
    if (read.has(node)) {
      const again = read.get(node);
      // Every entry that has it gets a copy of its own in the vault.
      if (again === undefined || again.length > left) return undefined;
      left -= again.length;
      return again;
    }
    const content = await firstContentOf(node);
    read.set(node, content);
    return content;
  }

  async function firstContentOf(node: XmlNode): Promise<Uint8Array | undefined> {
    const packed = saysTrue(node.attributes.Protected) ? undefined : fromBase64(node.text);
    if (packed === undefined) return undefined;
    const isCompressed = saysTrue(node.attributes.Compressed);
    const size = isCompressed ? sizeOfGzip(packed) : packed.length;
    if (size > left) return undefined;
    // Spent before it is inflated: that costs the same when it turns out to be damaged.
    left -= size;
    return isCompressed ? await inflated(packed, size) : Uint8Array.from(packed);
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

/** What it says of itself at its end (RFC 1952, ISIZE); nothing is inflated past it. */
function sizeOfGzip(packed: Buffer): number {
  return packed.length < 4 ? 0 : packed.readUInt32LE(packed.length - 4);
}

async function inflated(packed: Buffer, size: number): Promise<Uint8Array | undefined> {
  return await new Promise((resolve) => {
    gunzip(packed, { maxOutputLength: Math.max(size, 1) }, (error, content) => resolve(error ? undefined : content));
  });
}
