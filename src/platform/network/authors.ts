import { fromHex } from '../../crypto/bytes.ts';
import { nodeIdOf } from '../../crypto/public-key.ts';
import { verifierOf } from '../../crypto/signature.ts';

export interface Author {
  readonly nodeId: string;
  readonly verify: (data: Uint8Array, signature: Uint8Array) => boolean;
}

/** A cache of the keys of authors. Parsing a key costs as much as checking a signature, so recently used keys are kept. */
export interface Authors {
  /**
   * @param publicKey 33 bytes, hex
   * @returns undefined when the key is not a point of the curve
   */
  byKey(publicKey: string): Author | undefined;
}

const MAX_AUTHORS = 1_000;

export function createAuthors(): Authors {
  const known = new Map<string, Author>();
  return {
    byKey(publicKey) {
      const author = known.get(publicKey) ?? authorOf(publicKey);
      if (author === undefined) return undefined;
      known.delete(publicKey);
      known.set(publicKey, author);
      const oldest = known.size > MAX_AUTHORS ? known.keys().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
      return author;
    },
  };
}

function authorOf(publicKey: string): Author | undefined {
  try {
    const key = fromHex(publicKey, 33);
    return { nodeId: nodeIdOf(key), verify: verifierOf(key) };
  } catch {
    return undefined;
  }
}
