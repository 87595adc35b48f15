import { bitsOf, FILTER, filterBits, setBit } from '../../bloom-filter.ts';
import { fromHex, toHex, utf8 } from '../../bytes.ts';
import { addLeaf, leafHash, rootOf, rootOfLeaves } from '../../merkle.ts';
import { parseEntry } from '../ledger/entry.ts';

export interface AuditJob {
  /** entries that are needed */
  readonly size: number;
  /** sizes whose roots are wanted */
  readonly sizes: ReadonlySet<number>;
  /** of which container the accesses count, and how its filter is made; undefined: none */
  readonly filter?: {
    readonly containerTag: string;
    readonly fileTag: string;
    readonly coversTo: number;
    readonly bits: number;
    readonly salt: Uint8Array;
  };
}

export interface Audited {
  /** entries that were read, at most `size` */
  readonly entries: number;
  /** hex, by size */
  readonly roots: ReadonlyMap<number, string>;
  /** root of the filter, hex; undefined also if the filter is too large for the files */
  readonly filterRoot: string | undefined;
  /** files that were accessed */
  readonly count: number;
  /** index of the first access to the file */
  readonly accessed: number | undefined;
  /** tags of accessed files, by the receipts of the accesses */
  readonly receipts: ReadonlyMap<string, string | undefined>;
  /** what is no entry */
  readonly fault: string | undefined;
}

/** Recomputes roots of a ledger, and the filter of a container, from all entries. @param lines canonical JSON of each entry, from index 0 on */
export async function auditEntries(lines: AsyncIterable<string>, { size, sizes, filter }: AuditJob): Promise<Audited> {
  const frontier: Uint8Array[] = [];
  const roots = new Map<number, string>();
  const receipts = new Map<string, string | undefined>();
  const tags = new Set<string>();
  let [entries, accessed, fault] = [0, undefined as number | undefined, undefined as string | undefined];
  for await (const line of lines) {
    if (entries >= size) break;
    const body = utf8(line);
    const entry = parseEntry(body, entries);
    if ('fault' in entry) {
      fault = `entry ${entries} ${entry.fault}`;
      break;
    }
    addLeaf(frontier, entries, leafHash(body));
    const { type, data, tags: said } = entry;
    const tag = said?.['file'];
    if (type === 'FILE_ACCESS' && typeof data?.['receipt'] === 'string') receipts.set(data['receipt'], tag);
    if (
      filter !== undefined &&
      type === 'FILE_ACCESS' &&
      said?.['container'] === filter.containerTag &&
      tag !== undefined
    ) {
      if (tag === filter.fileTag) accessed ??= entries;
      if (entries < filter.coversTo) tags.add(tag);
    }
    entries += 1;
    if (sizes.has(entries)) roots.set(entries, toHex(rootOf(frontier)));
  }
  const filterRoot = filter === undefined ? undefined : rootOfFilter(tags, filter);
  return { entries, roots, filterRoot, count: tags.size, accessed, receipts, fault };
}

/** @returns undefined for a filter that is larger than any with so many tags: its size is what the proof says, and would take memory */
function rootOfFilter(tags: ReadonlySet<string>, { bits, salt }: NonNullable<AuditJob['filter']>): string | undefined {
  if (bits > filterBits(tags.size)) return undefined;
  const bytes = new Uint8Array(bits / 8);
  for (const tag of tags) for (const bit of bitsOf(fromHex(tag), salt, bits)) setBit(bytes, bit);
  return toHex(rootOfLeaves(chunksOf(bytes)));
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += FILTER.chunkBytes)
    yield leafHash(bytes.subarray(at, at + FILTER.chunkBytes));
}
