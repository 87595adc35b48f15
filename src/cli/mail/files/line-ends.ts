const LF = 10;
const CR = 13;

/** Changes bytes as they pass. Pieces can end anywhere. */
export interface Filter {
  push(bytes: Uint8Array): Uint8Array;
  /** what it held back until the end */
  end(): Uint8Array;
}

/** Makes CRLF of every LF that stands alone, as messages have it (RFC 5322, 2.3). */
export function toCrlf(): Filter {
  let last = LF;
  return {
    push(bytes) {
      const parts: Uint8Array[] = [];
      let from = 0;
      for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
        if ((at === 0 ? last : bytes[at - 1]) === CR) continue;
        parts.push(bytes.subarray(from, at), crLf);
        from = at + 1;
      }
      last = bytes.at(-1) ?? last;
      return parts.length === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(from)]);
    },
    end: () => nothing,
  };
}

/** Makes LF of every CRLF, as files of mail have it. */
export function toLf(): Filter {
  let held = false;
  return {
    push(bytes) {
      if (bytes.length === 0) return bytes;
      const parts: Uint8Array[] = [];
      if (held && bytes[0] !== LF) parts.push(cr);
      held = bytes.at(-1) === CR;
      const until = bytes.length - (held ? 1 : 0);
      let from = 0;
      for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
        if (at === 0 || bytes[at - 1] !== CR) continue;
        parts.push(bytes.subarray(from, at - 1));
        from = at;
      }
      return Buffer.concat([...parts, bytes.subarray(from, until)]);
    },
    end: () => (held ? cr : nothing),
  };
}

const nothing = new Uint8Array();
const cr = Uint8Array.of(CR);
const crLf = Uint8Array.of(CR, LF);

export async function* filtered(
  pieces: AsyncIterable<Uint8Array>,
  ...filters: readonly Filter[]
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    const bytes = filters.reduce((so, filter) => filter.push(so), piece);
    if (bytes.length > 0) yield bytes;
  }
  for (const [at, filter] of filters.entries()) {
    const bytes = filters.slice(at + 1).reduce((so, next) => next.push(so), filter.end());
    if (bytes.length > 0) yield bytes;
  }
}
