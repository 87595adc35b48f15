import { timingSafeEqual } from 'node:crypto';
import { fieldProblem } from '../../../base/problem.ts';

/** What a client says of the bytes of a chunk. */
export interface Checksum {
  /** as node:crypto names it */
  readonly algorithm: 'sha256' | 'sha3-512';
  /** in constant time */
  equals(digest: Uint8Array): boolean;
}

const lengths = { sha256: 32, 'sha3-512': 64 } as const;
const forms = /^(?:(?<algorithm>sha-?256|sha3-512)\s*[:= ]\s*)?:?(?<text>[0-9A-Za-z+/_-]+={0,2}):?$/i;

/**
 * Reads `X-Chunk-Checksum`: a bare hash, or one after the name of its algorithm. Hashes are hexadecimal, or SHA-256 in base 64.
 * @throws Problem invalid VALIDATION_ERROR for any other form
 */
export function readChecksum(header: string | undefined): Checksum | undefined {
  if (header === undefined) return undefined;
  const { algorithm: name, text = '' } = forms.exec(header.trim())?.groups ?? {};
  const algorithm = name?.toLowerCase().replace('sha-256', 'sha256') ?? algorithmOf(text);
  if (algorithm === 'sha256' || algorithm === 'sha3-512') {
    const wanted = digestIn(text, lengths[algorithm]);
    if (wanted !== undefined) return { algorithm, equals: (digest) => timingSafeEqual(wanted, digest) };
  }
  throw fieldProblem('X-Chunk-Checksum', 'must be a hash such as sha256:… in hex, or SHA-256 in base 64');
}

function algorithmOf(text: string): string | undefined {
  if (text.length === 128) return 'sha3-512';
  return text.length === 64 || text.length === 44 ? 'sha256' : undefined;
}

function digestIn(text: string, length: number): Buffer | undefined {
  const isHex = text.length === length * 2 && /^[0-9a-f]+$/i.test(text);
  const digest = Buffer.from(text, isHex ? 'hex' : 'base64');
  return digest.length === length && (isHex || text.length === 44) ? digest : undefined;
}
