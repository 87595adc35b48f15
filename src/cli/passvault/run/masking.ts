/** The text that replaces a secret in the output of a program. */
export const concealed = '<concealed by conclave>';

/** Shorter secrets occur in ordinary output by chance. */
const shortest = 4;
/** From this length, each line of a secret is masked on its own, because programs print such lines indented or one by one. */
const shortestLine = 8;

/** the most bytes that were written but are still in the buffer */
const compactFrom = 65_536;

export interface Masker {
  /** @returns the bytes that certainly contain no part of a secret */
  write(chunk: Uint8Array): Buffer;
  /** the rest of the bytes, after the last chunk */
  end(): Buffer;
}

export function isMaskable(secret: string): boolean {
  return Buffer.byteLength(secret) >= shortest;
}

/**
 * Replaces secrets in a stream of bytes, wherever the stream is cut into chunks. Every byte of every occurrence is replaced, also if
 * occurrences overlap. Adjacent occurrences become one mark. Only bytes that may begin a secret are held back.
 *
 * The automaton is from Aho and Corasick (1975). Its depth is the length of the longest end of the stream that begins a secret, so the
 * bytes before that end are settled.
 */
export function createMasker(secrets: readonly string[]): Masker {
  const trie = buildTrie(secrets.flatMap(withLines).filter(isMaskable));
  const mark = Buffer.from(concealed);
  let held: number[] = [];
  /** whether each held byte is part of a secret; other held bytes are undecided, because a secret is found at its end */
  let secretUntil: boolean[] = [];
  /** the number of held bytes that were already written; removing them one by one would copy all others each time */
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
        // The common case: no secret has begun, so the bytes pass through as slices.
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

  /** Writes bytes from the front: settled bytes, and secret bytes, because a secret byte never becomes plain again. */
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
  // Terminals and programs may change line ends, so each form is a secret too.
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
