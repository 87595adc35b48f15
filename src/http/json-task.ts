import type { Offload } from '../service/ports/workers.ts';
import { Problem } from '../base/problem.ts';
import { task, type Work } from '../service/ports/task.ts';
import { putTogether, type ParsedApart, parseApart } from './json-parse.ts';

/** Larger JSON is parsed in another thread. Smaller JSON takes a few milliseconds at most, about as long as asking a thread. */
export const INLINE_BYTES = 1024 ** 2;

/** The bytes come back as a Uint8Array, because a Buffer does not stay one between threads. */
export type ParsedThere = Omit<ParsedApart, 'bytes'> & { readonly bytes: Uint8Array<ArrayBuffer> | undefined };

export const jsonTask = task<Uint8Array<ArrayBuffer>, ParsedThere>({
  name: 'parse-json',
  // Memory for the largest body as text and as values, both with two bytes a character.
  memory: 512,
  atOnce: 2,
  queued: 64,
});

/** @param bytes are transferred to the thread, so the caller cannot use them afterwards */
export async function parseElsewhere(bytes: Buffer, offload: Offload, signal: AbortSignal): Promise<unknown> {
  const own = bytes.buffer.byteLength === bytes.length ? (bytes as Uint8Array<ArrayBuffer>) : Uint8Array.from(bytes);
  const parsed = await offload.run(jsonTask, own, { transfer: [own.buffer], signal }).catch(asGone(signal));
  const { buffer } = parsed.bytes ?? {};
  return putTogether({ ...parsed, bytes: buffer === undefined ? undefined : Buffer.from(buffer) });
}

/** For work that fails since its client has gone: it is no error of the node. */
export function asGone(signal: AbortSignal): (error: unknown) => never {
  return (error) => {
    if (!signal.aborted) throw error;
    throw new Problem('invalid', 'VALIDATION_ERROR', 'The client disconnected.', { cause: error });
  };
}

/** Parses a body in a thread. */
export const parseJsonWork: Work<Uint8Array<ArrayBuffer>, ParsedThere> = (input, { transfer }) => {
  const { buffer } = input;
  const { bytes, ...parsed } = parseApart(Buffer.from(buffer));
  if (bytes === undefined) return { ...parsed, bytes: undefined };
  transfer.push(buffer);
  return { ...parsed, bytes: new Uint8Array(buffer) };
};
