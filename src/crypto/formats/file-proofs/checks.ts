import type { LedgerEntry } from '../ledger/entry.ts';
import type { ProofCheck, ProofReport } from '../ledger/verify-proof.ts';
import type { FileProof } from './format.ts';

export type Verdict = 'valid' | 'invalid' | 'undecided';

/** The checks of a proof, as they are done. */
export interface Checks {
  readonly all: ProofCheck[];
  /** what is missing for a decision */
  readonly undecided: string[];
  add(name: string, ok: boolean, good: string, bad: string): boolean;
}

export function noChecks(): Checks {
  const all: ProofCheck[] = [];
  return {
    all,
    undecided: [],
    add(name, ok, good, bad) {
      all.push({ name, ok, detail: ok ? good : bad });
      return ok;
    },
  };
}

export function verdictOf({ all, undecided }: Checks): Verdict {
  if (!all.every(({ ok }) => ok)) return 'invalid';
  return undecided.length > 0 ? 'undecided' : 'valid';
}

/** A proof whose entry and node are known. */
export interface Opened {
  readonly file: FileProof;
  readonly entry: LedgerEntry;
  readonly report: ProofReport;
  /** public key of the node, 33 bytes */
  readonly nodeKey: Uint8Array;
}
