import { toHex, utf8 } from '../crypto/bytes.ts';
import { addLeaf, leafHash, rootOf } from '../crypto/merkle.ts';
import { parseEntry } from './entry.ts';

/** An entry as the public interface shows it. */
interface Shown {
  readonly index: number;
  readonly leafHash: string;
  readonly entry: string;
}

/** Builds the tree over entries that come in order, from the first on. */
export function rootOfEntries() {
  const frontier: Uint8Array[] = [];
  let size = 0;
  return {
    /** @returns what is wrong with the entry */
    add({ index, leafHash: said, entry }: Shown): string | undefined {
      if (index !== size) return `entry ${size} was left out`;
      const body = utf8(entry);
      const hash = leafHash(body);
      const parsed = parseEntry(body, index);
      if ('fault' in parsed) return `entry ${index} ${parsed.fault}`;
      if (toHex(hash) !== said) return `entry ${index} does not match its leaf hash`;
      addLeaf(frontier, size, hash);
      size += 1;
      return undefined;
    },
    root: () => rootOf(frontier),
  };
}
