import { perform, type Caller } from '../../client/perform.ts';
import { ledger, type LedgerContradiction, type LedgerNotice, type LedgerStop } from '../../contract/ledger.ts';
import type { ProofCheck, ProofReport } from '../../crypto/formats/ledger/verify-proof.ts';
import { Problem } from '../../base/problem.ts';
import { checkProof, fetchCheckpoint, fetchProof, sizeIn, type Known } from './ledger-proof.ts';

interface CheckOptions extends Known {
  /** an earlier checkpoint */
  readonly since?: string | undefined;
}

/** The result of a check, and its consequences. */
export interface Verdict extends Partial<Pick<ProofReport, 'logKey' | 'trust' | 'size' | 'nodeId'>> {
  readonly ok: boolean;
  readonly checks: readonly ProofCheck[];
  /** faults in the store, by the index of the entry */
  readonly faults?: readonly { readonly index: number | null; readonly what: string }[];
  readonly moreFaults?: number;
  /** why the node signs nothing */
  readonly stopped?: readonly LedgerStop[];
  /** what contradicts itself in ledgers of other nodes */
  readonly contradictions?: readonly LedgerContradiction[];
  /** what else was noticed about them */
  readonly noticed?: readonly LedgerNotice[];
  readonly proven: readonly string[];
  readonly notProven: readonly string[];
}

/**
 * Checks the ledger of a node. With `full` on the machine of the node, it recomputes the contents of the store. With `full` on another
 * machine, it downloads all entries and recomputes them here.
 */
export async function checkNode(
  client: Caller,
  { full, local, ...options }: CheckOptions & { readonly full: boolean; readonly local: boolean },
): Promise<Verdict> {
  if (!local) return await checkLedger(client, options, full);
  const report = await perform(client, ledger.verify, { full });
  const store: Verdict = { ...report, ok: report.ok && report.stopped.length === 0, proven: [], notProven: [] };
  const asked = options.key !== undefined || options.since !== undefined || options.policy !== undefined;
  // A node that signs nothing has nothing to show that could be verified.
  if ((full && !asked) || !store.ok) return store;
  const shown = await checkLedger(client, options, false);
  return { ...store, ...shown, checks: [...report.checks, ...shown.checks] };
}

/** Verifies the statements of a node about its ledger. It trusts nothing from the node, except the log key if no key is known. */
async function checkLedger(client: Caller, options: CheckOptions, everything: boolean): Promise<Verdict> {
  const { key, since, policy } = options;
  const note = await fetchCheckpoint(client, policy === undefined ? 'newest' : 'cosigned');
  const size = await sizeIn(note);
  const report =
    size === 0
      ? await checkEmpty(client, note, key)
      : await checkProof(await fetchProof(client, size - 1, note), { key, policy });
  const checks = [...report.checks];
  const proven = [...report.proven];
  const { signedCheckpoint, isContinued } = await import('../../crypto/formats/ledger/verify-proof.ts');
  const newer = report.logKey === undefined ? undefined : signedCheckpoint(note, report.logKey);
  if (since !== undefined) {
    const older = report.logKey === undefined ? undefined : signedCheckpoint(since, report.logKey);
    if (older === undefined || newer === undefined) {
      checks.push({
        name: 'history',
        ok: false,
        detail: 'the key of this log did not sign the earlier checkpoint',
      });
    } else {
      const proof = await consistency(client, older.size, newer.size);
      const ok = proof !== undefined && isContinued({ older, newer, proof });
      const detail = ok ? `continues ${older.size} entries` : `does not continue the ledger of ${older.size} entries`;
      checks.push({ name: 'history', ok, detail });
      if (ok) proven.push(`The first ${older.size} entries were not changed or removed since.`);
    }
  }
  if (everything && newer !== undefined) {
    const check = await recompute(client, newer.size, newer.root);
    checks.push(check);
    if (check.ok) proven.push(`The node signed each of the ${newer.size} entries that it shows.`);
  }
  const ok = checks.every((one) => one.ok);
  const notProven = since === undefined ? [...report.notProven, historyUnknown] : report.notProven;
  return { ...report, ok, checks, proven: ok ? proven : [], notProven };
}

const historyUnknown =
  'That the ledger was never replaced: keep a checkpoint (ledger head --out), and give it with --since.';

async function checkEmpty(client: Caller, note: string, key: string | undefined): Promise<Verdict> {
  const { signedCheckpoint } = await import('../../crypto/formats/ledger/verify-proof.ts');
  const said = await perform(client, ledger.head, {});
  const logKey = key ?? said.logKey;
  const ok = signedCheckpoint(note, logKey) !== undefined;
  const detail = ok ? `by ${said.origin}, over an empty ledger` : 'the checkpoint is not signed by this key';
  return {
    ok,
    checks: [{ name: 'log signature', ok, detail }],
    logKey,
    trust: key === undefined ? 'first-use' : 'pinned',
    size: 0,
    nodeId: undefined,
    proven: [],
    notProven: ['Anything: the ledger is empty.'],
  };
}

/** @returns undefined if the node has no proof, for example because its ledger does not have one of the sizes */
async function consistency(client: Caller, from: number, to: number): Promise<Uint8Array[] | undefined> {
  if (from > to || from === 0) return undefined;
  const { proof } = await perform(client, ledger.consistency, { from, to });
  return proof.map((hash) => Uint8Array.from(Buffer.from(hash, 'hex')));
}

async function recompute(client: Caller, size: number, root: Uint8Array): Promise<ProofCheck> {
  const { rootOfEntries } = await import('../../crypto/formats/ledger/recompute.ts');
  const tree = rootOfEntries();
  for (let from = 0; from < size;) {
    const { entries } = await perform(client, ledger.entries, { from, to: size, limit: 1000 });
    if (entries.length === 0)
      throw new Problem('network', 'BAD_REPLY', `The server did not answer with entry ${from}.`);
    for (const entry of entries) {
      const fault = tree.add(entry);
      if (fault !== undefined) return { name: 'entries', ok: false, detail: fault };
    }
    from += entries.length;
  }
  const ok = Buffer.compare(tree.root(), root) === 0;
  return { name: 'entries', ok, detail: ok ? `all ${size}` : 'the entries do not give the root that was signed' };
}
