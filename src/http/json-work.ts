import type { Work } from '../offload/task.ts';
import { parseApart } from './json-parse.ts';
import type { ParsedThere } from './json-task.ts';

/** Parses a body in a thread. */
export const parseJsonWork: Work<Uint8Array<ArrayBuffer>, ParsedThere> = (input, { transfer }) => {
  const { buffer } = input;
  const { bytes, ...parsed } = parseApart(Buffer.from(buffer));
  if (bytes === undefined) return { ...parsed, bytes: undefined };
  transfer.push(buffer);
  return { ...parsed, bytes: new Uint8Array(buffer) };
};
