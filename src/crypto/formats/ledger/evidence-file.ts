import * as v from 'valibot';
import { fromHex, toHex, utf8 } from '../../bytes.ts';
import { canonicalJson } from '../../canonical-json.ts';
import { verifyConsistency } from '../../merkle.ts';
import { nodeIdOf } from '../../public-key.ts';
import { parseEntry } from './entry.ts';
import { genesisOf, type Genesis, type Recovered } from './genesis.ts';
import { originOf } from './log-key.ts';
import { checkpointOf, type PeerCheckpoint } from './peer-checkpoint.ts';
import { hashes, hex } from './wire.ts';

/** What a node signed that contradicts itself, in a file that shows it without the node and without the one that found it. */

/** What two checkpoints show about the node that signed both. */
export const contradictions = {
  'same-size': 'signed two different ledgers of the same size',
  'not-continued': 'signed a ledger, and a later one that does not continue it',
  'after-recovery': 'signed a larger ledger under a log key that it had given up',
  'recovered-twice': 'began two new logs in place of the same one',
  'forgot-entries': 'began a new log and left out entries that it had signed',
} as const;

export type Contradiction = keyof typeof contradictions;

const TYPE = 'conclave/ledger-evidence/v1';
const LONGEST = 100_000;
const entry = v.pipe(v.string(), v.maxLength(16_384));

const form = v.strictObject({
  t: v.literal(TYPE),
  kind: v.picklist(Object.keys(contradictions) as [Contradiction, ...Contradiction[]]),
  nodeId: v.string(),
  /** of the node: secp256k1, 33 bytes */
  nodeKey: hex(33),
  /** signed checkpoints */
  one: v.string(),
  other: v.string(),
  /** the root of the first entries of the other ledger, as many as the one has, and the proof of that */
  instead: v.optional(v.strictObject({ root: hex(32), proof: hashes })),
  /** entries in which the node says that a log of its own comes in place of another one */
  geneses: v.optional(v.pipe(v.array(entry), v.maxLength(2))),
});

export type Evidence = Omit<v.InferOutput<typeof form>, 't'>;

export function writeEvidence(evidence: Evidence): string {
  return canonicalJson({ t: TYPE, ...evidence });
}

/** Whether a file is meant as evidence, and not as a proof of an entry. */
export function looksLikeEvidence(text: string): boolean {
  return text.trimStart().startsWith('{');
}

/** Reads the form; undefined for anything else. It checks no signature. */
export function parseEvidence(text: string): Evidence | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    const parsed = v.safeParse(form, JSON.parse(text));
    if (!parsed.success) return undefined;
    const { t: _, ...evidence } = parsed.output;
    return evidence;
  } catch {
    return undefined;
  }
}

/** What was checked of evidence. */
export interface EvidenceReport {
  /** both are signed by the node */
  readonly signed: boolean;
  /** and both can't be true */
  readonly contradicts: boolean;
  readonly checkpoints: readonly PeerCheckpoint[];
}

/** Checks evidence from its bytes alone. No content makes it throw. */
export function checkEvidence(evidence: Evidence): EvidenceReport {
  const read = readSigned(evidence);
  if (read === undefined) return { signed: false, contradicts: false, checkpoints: [] };
  const { one, other } = read;
  return { signed: true, contradicts: isContradiction(evidence, read), checkpoints: [one, other] };
}

interface Read {
  readonly one: PeerCheckpoint;
  readonly other: PeerCheckpoint;
  readonly geneses: readonly Genesis[];
}

/** undefined: something in it is not signed by the node */
function readSigned({ nodeId, nodeKey, one, other, geneses = [] }: Evidence): Read | undefined {
  try {
    const key = fromHex(nodeKey, 33);
    const [first, second] = [checkpointOf(one, key), checkpointOf(other, key)];
    if (nodeIdOf(key) !== nodeId || first === undefined || second === undefined) return undefined;
    const read = geneses.map(genesisIn);
    if (!read.every((genesis) => genesis?.nodeId === nodeId)) return undefined;
    return { one: first, other: second, geneses: read as Genesis[] };
  } catch {
    return undefined;
  }
}

/** The genesis in the text of an entry. The keys of the log and of the node sign it, wherever the entry stands. */
export function genesisIn(text: string): Genesis | undefined {
  const { index } = (JSON.parse(text) ?? {}) as { index?: unknown };
  const parsed = typeof index === 'number' ? parseEntry(utf8(text), index) : { fault: 'has no index' };
  return 'fault' in parsed ? undefined : genesisOf(parsed);
}

function isContradiction({ kind, instead }: Evidence, { one, other, geneses }: Read): boolean {
  const [first, second] = geneses;
  const shows: Readonly<Record<Contradiction, () => boolean>> = {
    'same-size': () => one.origin === other.origin && one.size === other.size && !isSame(one.root, other.root),
    'not-continued': () => one.origin === other.origin && instead !== undefined && goesAnotherWay(one, other, instead),
    'after-recovery': () => isOf(first, one) && isBeyond(other, first?.recovers),
    'forgot-entries': () => isOf(first, other) && isBeyond(one, first?.recovers),
    'recovered-twice': () =>
      isOf(first, one) &&
      isOf(second, other) &&
      first?.recovers !== undefined &&
      first.recovers.logKey === second?.recovers?.logKey &&
      first.logKey !== second.logKey,
  };
  return shows[kind]();
}

/** The later ledger begins with other entries than those of the earlier one, and says so itself. */
function goesAnotherWay(
  one: Pick<PeerCheckpoint, 'size' | 'root'>,
  other: Pick<PeerCheckpoint, 'size' | 'root'>,
  { root, proof }: NonNullable<Evidence['instead']>,
): boolean {
  const fromRoot = fromHex(root, 32);
  const hashesOfProof = proof.map((hash) => fromHex(hash));
  const { size: from } = one;
  const { size: to, root: toRoot } = other;
  const isBeginning = from < to && verifyConsistency({ from, to, fromRoot, toRoot, proof: hashesOfProof });
  return isBeginning && !isSame(fromRoot, one.root);
}

function isOf(genesis: Genesis | undefined, { origin }: PeerCheckpoint): boolean {
  return genesis?.origin === origin;
}

/** Whether a checkpoint of the old log is none of those that the recovery took over. */
export function isBeyond(
  { origin, size, root }: Pick<PeerCheckpoint, 'origin' | 'size' | 'root'>,
  recovered: Recovered | undefined,
): boolean {
  if (recovered === undefined || originOf(recovered.logKey) !== origin) return false;
  return size > recovered.size || (size === recovered.size && toHex(root) !== recovered.root);
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
