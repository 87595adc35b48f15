/**
 * `Content-Digest` and `Repr-Digest` (RFC 9530): a dictionary of RFC 8941 whose values are byte sequences. Server and client read and
 * write them alike.
 */

export const contentDigestHeader = 'content-digest';
export const reprDigestHeader = 'repr-digest';

/** The active algorithms in the IANA registry, with the length of their hashes in base 64. Others are ignored, as RFC 9530 requires. */
const lengths = { 'sha-256': 44, 'sha-512': 88 } as const;

export type DigestAlgorithm = keyof typeof lengths;

/** Digests in base 64, by their algorithms. */
export type DigestTexts = Partial<Record<DigestAlgorithm, string>>;

/** In characters. A longer header is not accepted as a list of digests. */
const LONGEST = 1024;
const member = /^(?<key>[a-z*][a-z0-9_.*-]*)=:(?<value>[A-Za-z0-9+/]*={0,2}):$/;

/** @returns undefined for an invalid list or a digest of a wrong length. If an algorithm occurs twice, the last digest counts. */
export function readDigests(header: string): DigestTexts | undefined {
  if (header.length > LONGEST) return undefined;
  const digests: DigestTexts = {};
  for (const part of header.split(',')) {
    const { key, value } = member.exec(part.trim())?.groups ?? {};
    if (key === undefined || value === undefined) return undefined;
    if (!isAlgorithm(key)) continue;
    if (value.length !== lengths[key]) return undefined;
    digests[key] = value;
  }
  return digests;
}

export function writeDigests(digests: DigestTexts): string {
  return Object.entries(digests)
    .map(([algorithm, value]) => `${algorithm}=:${value}:`)
    .join(', ');
}

function isAlgorithm(key: string): key is DigestAlgorithm {
  return Object.hasOwn(lengths, key);
}
