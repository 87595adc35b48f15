import { readFile, stat } from 'node:fs/promises';
import { quorumLimits } from '../../contract/quorum/limits.ts';
import { RawJson } from '../../contract/raw-json.ts';
import { Problem } from '../../base/problem.ts';
import { unreadable } from '../kit/file-reasons.ts';
import type { Terminal } from '../kit/terminal.ts';

/**
 * The document to seal, from a file or standard input (-). JSON is sealed byte by byte as it is.
 *
 * @param asText seals any text as one JSON string
 * @throws Problem invalid INPUT_UNREADABLE, INPUT_INVALID; tooLarge PAYLOAD_TOO_LARGE
 */
export async function sealedInput(terminal: Terminal, file: string, asText: boolean): Promise<RawJson> {
  const bytes = file === '-' ? await allOf(terminal) : await contentOf(file);
  if (asText) return RawJson.of(textOf(bytes, file));
  try {
    JSON.parse(textOf(bytes, file));
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('invalid', 'INPUT_INVALID', `${named(file)} is not JSON. To seal it as text, add --text.`);
  }
  return new RawJson(Uint8Array.from(bytes));
}

function named(file: string): string {
  return file === '-' ? 'Standard input' : file;
}

async function contentOf(file: string): Promise<Buffer> {
  try {
    if ((await stat(file)).size > quorumLimits.documentBytes) throw tooLarge(file);
    return await readFile(file);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(file, cause), { cause });
  }
}

async function allOf({ stdin }: Terminal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > quorumLimits.documentBytes) throw tooLarge('-');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function textOf(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem('invalid', 'INPUT_INVALID', `${named(file)} is not text in UTF-8.`);
  }
}

function tooLarge(file: string): Problem {
  return new Problem('tooLarge', 'PAYLOAD_TOO_LARGE', `${named(file)} is larger than 5 MiB, the limit of a document.`);
}
