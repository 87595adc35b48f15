/** What stands in the output of a program instead of a secret. */
export const concealed = '<concealed by conclave>';

/** Shorter ones are part of ordinary output by chance. */
const shortest = 4;
/** Of a secret of several lines, lines from this length on are secrets by themselves: programs print them indented or one by one. */
const shortestLine = 8;

/** bytes that went out and are still held, at most */
const compactFrom = 65_536;

export interface Masker {
  /** @returns what can be told by now to hold no part of a secret */
  write(chunk: Uint8Array): Buffer;
  /** the rest, when nothing more comes */
  end(): Buffer;
}

export function isMaskable(secret: string): boolean {
  return Buffer.byteLength(secret) >= shortest;
}

/**
 * Replaces secrets in a stream of bytes, wherever it is cut into chunks. Every byte of every occurrence is replaced, also where
 * occurrences overlap; a run of them becomes one mark. Held back is only what may be the beginning of a secret.
 *
 * An automaton after Aho and Corasick (1975): its depth is the length of the longest end of the stream that begins a secret, so the
 * bytes before that end are settled.
 */
export function createMasker(secrets: readonly string[]): Masker {
  const trie = buildTrie(secrets.flatMap(withLines).filter(isMaskable));
  const mark = Buffer.from(concealed);
  let held: number[] = [];
  /** of the held bytes, how many from the front are secret; those behind are open, since secrets are found by their ends */
  let secretUntil: boolean[] = [];
  /** how many of the held bytes went out already: taking them away one by one would copy all others each time */
  let gone = 0;
  let marking = false;
  let state = trie;

  const write = (chunk: Uint8Array): Buffer => {
    const out: Buffer[] = [];
    let plainFrom = -1;
    const flushPlain = (to: number) => {
      if (plainFrom >= 0 && to > plainFrom) out.push(Buffer.from(chunk.subarray(plainFrom, to)));
      plainFrom = -1;
    };
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      state = step(trie, state, byte);
      if (held.length === gone && state === trie) {
        // The common case: no secret has begun, and bytes pass as slices.
        if (plainFrom < 0) plainFrom = at;
        marking = false;
        continue;
      }
      flushPlain(at);
      held.push(byte);
      secretUntil.push(false);
      if (state.longest > 0) secretUntil.fill(true, Math.max(gone, held.length - state.longest));
      settle(out, held.length - state.depth);
    }
    flushPlain(chunk.length);
    return Buffer.concat(out);
  };

  /** Gives out bytes from the front: those that are settled, and secret ones, which nothing can make plain again. */
  const settle = (out: Buffer[], settled: number) => {
    let count = gone;
    let from = gone;
    const plainTo = (to: number) => {
      if (to > from) out.push(Buffer.from(held.slice(from, to)));
    };
    while (count < held.length && (count < settled || secretUntil[count] === true)) {
      const secret = secretUntil[count] === true;
      if (secret) {
        plainTo(count);
        if (!marking) out.push(mark);
        from = count + 1;
      }
      marking = secret;
      count += 1;
    }
    plainTo(count);
    gone = count;
    if (gone === held.length || gone > compactFrom) {
      held = held.slice(gone);
      secretUntil = secretUntil.slice(gone);
      gone = 0;
    }
  };

  return {
    write,
    end() {
      const out: Buffer[] = [];
      settle(out, held.length);
      state = trie;
      return Buffer.concat(out);
    },
  };
}

function withLines(secret: string): string[] {
  const lines = secret.split(/\r\n|\r|\n/);
  if (lines.length === 1) return [secret];
  // Terminals and programs write line ends their own way.
  return [
    secret,
    lines.join('\n'),
    lines.join('\r\n'),
    ...lines.map((line) => line.trim()).filter((line) => line.length >= shortestLine),
  ];
}

interface Node {
  readonly next: Map<number, Node>;
  fail: Node | undefined;
  readonly depth: number;
  /** length of the longest secret that ends here */
  longest: number;
}

function node(depth: number): Node {
  return { next: new Map(), fail: undefined, depth, longest: 0 };
}

function buildTrie(secrets: readonly string[]): Node {
  const root = node(0);
  for (const secret of secrets) {
    let at = root;
    for (const byte of Buffer.from(secret)) {
      const below = at.next.get(byte) ?? node(at.depth + 1);
      at.next.set(byte, below);
      at = below;
    }
    at.longest = at.depth;
  }
  const queue: Node[] = [root];
  for (const parent of queue) {
    for (const [byte, child] of parent.next) {
      child.fail = parent === root ? root : step(root, parent.fail ?? root, byte);
      child.longest = Math.max(child.longest, child.fail.longest);
      queue.push(child);
    }
  }
  return root;
}

function step(root: Node, from: Node, byte: number): Node {
  let at: Node | undefined = from;
  while (at !== undefined) {
    const next = at.next.get(byte);
    if (next !== undefined) return next;
    at = at.fail;
  }
  return root;
}
