import { fromHex, toHex, utf8 } from '../../bytes.ts';
import { canonicalJson } from '../../canonical-json.ts';
import { leafHash, rootOfLeaves } from '../../merkle.ts';
import { parseEntry, type LedgerEntry } from '../ledger/entry.ts';
import { genesisOf } from '../ledger/genesis.ts';
import { chainIdOf } from '../ledger/log-key.ts';
import { writeProofFile } from '../ledger/proof-file.ts';
import { verifyProofFile, type ProofCheck, type ProofOptions, type ProofReport } from '../ledger/verify-proof.ts';
import { noChecks, verdictOf, type Checks, type Verdict } from './checks.ts';
import { checkFilter } from './check-filter.ts';
import { checkHistory } from './check-history.ts';
import { checkReceipt } from './check-receipt.ts';
import { isSignedProof, parseFileProof, type DestructionFile, type FileProof } from './format.ts';
import { notProvenBy, provenBy } from './statements.ts';

/** Checks proofs of the file vault offline, without a store or a server. */

export interface FileProofOptions extends ProofOptions {
  /** a checkpoint of the same log that the caller kept */
  readonly kept?: string | undefined;
  /** canonical JSON of each entry of the ledger, from index 0 on */
  readonly entries?: AsyncIterable<string> | undefined;
  /** a header `X-Access-Receipt` */
  readonly receipt?: string | undefined;
}

export interface FileProofReport extends Pick<ProofReport, 'logKey' | 'trust' | 'nodeId' | 'size' | 'leafHash'> {
  readonly kind: FileProof['kind'] | undefined;
  readonly verdict: Verdict;
  readonly checks: readonly ProofCheck[];
  /** what is missing for a decision */
  readonly undecided: readonly string[];
  readonly fileId: string | undefined;
  /** when the entry was recorded */
  readonly time: string | undefined;
  readonly proven: readonly string[];
  readonly notProven: readonly string[];
}

/** Checks the text of a proof. No content of it makes it throw. */
export async function verifyFileProof(text: string, options: FileProofOptions = {}): Promise<FileProofReport> {
  const checks = noChecks();
  const file = parseFileProof(text);
  if (file === undefined) {
    checks.add('form', false, '', 'this is not a proof in the one form of conclave/file-proof@v1');
    return reportOf(checks, undefined, undefined);
  }
  const bundle = file.kind === 'non-access' ? file.verificationBundle : file.certificate;
  const { blockHeight, inclusionProof, checkpoint, entry, genesis } = bundle;
  const report = verifyProofFile(
    writeProofFile({
      index: blockHeight,
      proof: inclusionProof.map((hash) => fromHex(hash)),
      checkpoint,
      extra: { entry, genesis: { ...genesis, proof: genesis.proof.map((hash) => fromHex(hash)) } },
    }),
    options,
  );
  checks.all.push(
    ...report.checks.map((one) => (one.name === 'form' ? { ...one, detail: 'conclave/file-proof@v1' } : one)),
  );
  const nodeKey = nodeKeyIn(genesis);
  const isKey = bundle.logKey === report.logKey && bundle.chainId === chainIdOf(bundle.logKey);
  checks.add('log key', isKey, 'the proof names this key and its chain', 'the proof names another key or chain');
  checks.add(
    'signature',
    nodeKey !== undefined && isSignedProof(file, nodeKey),
    'the node signed all of the proof',
    'the node did not sign this proof: something of it was changed',
  );
  if (report.entry === undefined || nodeKey === undefined) return reportOf(checks, file, report);
  const opened = { file, entry: report.entry, report, nodeKey };
  const leaf = file.kind === 'non-access' ? file.verificationBundle.ledgerEntryHash : file.proof.ledgerEntryHash;
  checks.add('entry hash', leaf === report.leafHash, 'it is the hash of the entry', 'it is the hash of another entry');
  if (file.kind === 'non-access') checkFilter(checks, file, opened.entry);
  else checkInventory(checks, file, opened.entry);
  const audited = await checkHistory(checks, opened, options);
  if (options.receipt !== undefined) checkReceipt(checks, opened, options.receipt, audited);
  return reportOf(checks, file, report, audited !== undefined);
}

function nodeKeyIn({ index, entry }: { readonly index: number; readonly entry: string }): Uint8Array | undefined {
  try {
    const parsed = parseEntry(utf8(entry), index);
    const genesis = 'fault' in parsed ? undefined : genesisOf(parsed);
    return genesis === undefined ? undefined : fromHex(genesis.nodeKey, 33);
  } catch {
    return undefined;
  }
}

function checkInventory(checks: Checks, { proof, certificate }: DestructionFile, entry: LedgerEntry): void {
  const { leaves, fileId, fileTag } = certificate;
  const isType = entry.type === 'FILE_DESTROYED' && entry.data?.['inventory'] === proof.merkleRoot;
  checks.add('destroyed', isType, 'the entry says that this inventory was destroyed', 'the entry says something else');
  const root = toHex(rootOfLeaves(leaves.map((leaf) => fromHex(leaf))));
  const isRoot = root === proof.merkleRoot;
  checks.add('inventory', isRoot, `${leaves.length} leaves have this root`, 'the leaves have another root');
  const first = toHex(leafHash(utf8(canonicalJson({ id: fileId, kind: 'file' }))));
  const isFile = leaves[0] === first && entry.tags?.['file'] === fileTag;
  checks.add('file', isFile, 'the inventory is that of the file', 'the inventory is that of another file');
}

function reportOf(
  checks: Checks,
  file: FileProof | undefined,
  report: ProofReport | undefined,
  audited = false,
): FileProofReport {
  const { undecided, all } = checks;
  const verdict = verdictOf(checks);
  return {
    kind: file?.kind,
    verdict,
    checks: all,
    undecided,
    fileId:
      file === undefined
        ? undefined
        : file.kind === 'non-access'
          ? file.verificationBundle.fileId
          : file.certificate.fileId,
    logKey: report?.logKey,
    trust: report?.trust ?? 'first-use',
    nodeId: report?.nodeId,
    size: report?.size,
    leafHash: report?.leafHash,
    time: report?.entry?.time,
    proven: verdict === 'invalid' || file === undefined || report === undefined ? [] : provenBy(file, report, audited),
    notProven: notProvenBy(file, report, audited),
  };
}
