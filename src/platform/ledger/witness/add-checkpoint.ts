import { HASH_LENGTH } from '../../../crypto/merkle.ts';
import { base64, fromBase64 } from '../../../crypto/verifier-key.ts';
import { wholeNumber } from '../../../base/whole-number.ts';

/** What a log sends to a witness (https://c2sp.org/tlog-witness): a checkpoint that continues the one of `oldSize` entries. */
export interface AddCheckpoint {
  readonly oldSize: number;
  /** 32 bytes each; empty when `oldSize` is 0 or the size of the checkpoint */
  readonly proof: readonly Uint8Array[];
  /** the signed note */
  readonly checkpoint: string;
}

const MOST_HASHES = 63;
const LONGEST_BODY = 16_384;

export function writeAddCheckpoint({ oldSize, proof, checkpoint }: AddCheckpoint): string {
  return `${[`old ${oldSize}`, ...proof.map(base64)].join('\n')}\n\n${checkpoint}`;
}

/** Parses the body of a request; undefined for anything else. */
export function parseAddCheckpoint(body: unknown): AddCheckpoint | undefined {
  if (typeof body !== 'string' || body.length > LONGEST_BODY) return undefined;
  const end = body.indexOf('\n\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = body.slice(0, end).split('\n');
  const oldSize = wholeNumber(/^old (0|[1-9]\d{0,15})$/.exec(first)?.[1]);
  const proof = lines.map(fromBase64);
  if (oldSize === undefined || lines.length > MOST_HASHES || !proof.every(isHash)) return undefined;
  return { oldSize, proof, checkpoint: body.slice(end + 2) };
}

function isHash(bytes: Uint8Array | undefined): bytes is Uint8Array {
  return bytes?.length === HASH_LENGTH;
}
