import { toHex, utf8 } from '../../bytes.ts';
import { addLeaf, leafHash, rootOf } from '../../merkle.ts';
import { parseEntry } from './entry.ts';

/** An entry in the form of the public interface. */
interface Shown {
  readonly index: number;
  readonly leafHash: string;
  readonly entry: string;
}

/** Computes the root over entries that are added in order, beginning with the first. */
export function rootOfEntries() {
  const frontier: Uint8Array[] = [];
  let size = 0;
  return {
    /** @returns what is wrong with the entry, or undefined if it is right */
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
