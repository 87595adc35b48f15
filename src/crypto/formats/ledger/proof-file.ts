import { canonicalJson } from '../../canonical-json.ts';
import { fromUtf8, toHex, fromHex, utf8 } from '../../bytes.ts';
import { HASH_LENGTH } from '../../merkle.ts';
import { base64, fromBase64 } from '../../verifier-key.ts';
import { wholeNumber } from '../../../base/whole-number.ts';

/** A proof that can be checked offline, in the form of https://c2sp.org/tlog-proof. */
export interface ProofFile {
  readonly index: number;
  /** 32 bytes each, from the leaf upwards */
  readonly proof: readonly Uint8Array[];
  /** the signed note */
  readonly checkpoint: string;
  /** optional data that other programs may ignore; the rest of the file does not authenticate it */
  readonly extra: Extra | undefined;
}

/** The proven entry, and the genesis entry that names the owner of the log. Both entries are canonical JSON, as text. */
export interface Extra {
  readonly entry: string;
  readonly genesis?: { readonly index: number; readonly entry: string; readonly proof: readonly Uint8Array[] };
}

const firstLine = 'c2sp.org/tlog-proof@v1';
const longestFile = 1_000_000;
const mostHashes = 64;

export function writeProofFile({ index, proof, checkpoint, extra }: ProofFile): string {
  const lines = [
    firstLine,
    ...(extra === undefined ? [] : [`extra ${base64(utf8(writeExtra(extra)))}`]),
    `index ${index}`,
    ...proof.map(base64),
  ];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}

/** Parses a proof with all rules of the format; undefined for anything else. */
export function parseProofFile(text: string): ProofFile | undefined {
  if (text.length > longestFile) return undefined;
  const end = text.indexOf('\n\n');
  if (end === -1) return undefined;
  const lines = text.slice(0, end).split('\n');
  if (lines.shift() !== firstLine) return undefined;
  let extra: Extra | undefined;
  if (lines[0]?.startsWith('extra ')) {
    const bytes = fromBase64(lines.shift()?.slice('extra '.length) ?? '');
    if (bytes === undefined) return undefined;
    extra = parseExtra(bytes);
  }
  const index = wholeNumber(/^index (0|[1-9]\d{0,15})$/.exec(lines.shift() ?? '')?.[1]);
  if (index === undefined || lines.length > mostHashes) return undefined;
  const proof = lines.map(fromBase64);
  if (!proof.every(isHash)) return undefined;
  return { index, proof, checkpoint: text.slice(end + 2), extra };
}

function writeExtra({ entry, genesis }: Extra): string {
  return canonicalJson({
    entry,
    ...(genesis !== undefined && { genesis: { ...genesis, proof: genesis.proof.map(toHex) } }),
  });
}

/** Parses the extra data; undefined for the data of another program. Only the canonical form is accepted. */
function parseExtra(bytes: Uint8Array): Extra | undefined {
  try {
    const text = fromUtf8(bytes);
    const extra = extraOf(JSON.parse(text) as { entry?: unknown; genesis?: Record<string, unknown> });
    return extra !== undefined && writeExtra(extra) === text ? extra : undefined;
  } catch {
    return undefined;
  }
}

function extraOf({ entry, genesis }: { entry?: unknown; genesis?: Record<string, unknown> }): Extra | undefined {
  if (typeof entry !== 'string') return undefined;
  if (genesis === undefined) return { entry };
  const { index, entry: text, proof } = genesis;
  if (typeof index !== 'number' || typeof text !== 'string' || !Array.isArray(proof)) return undefined;
  return { entry, genesis: { index, entry: text, proof: proof.map((hash) => fromHex(hash as string, HASH_LENGTH)) } };
}

function isHash(bytes: Uint8Array | undefined): bytes is Uint8Array {
  return bytes?.length === HASH_LENGTH;
}
