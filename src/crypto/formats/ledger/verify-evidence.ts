import { toHex } from '../../bytes.ts';
import type { ProofCheck } from './verify-proof.ts';
import { checkEvidence, contradictions, parseEvidence } from './evidence-file.ts';

/** What a file of evidence shows, offline. */
export interface EvidenceVerdict {
  /** the node contradicts itself */
  readonly ok: boolean;
  readonly checks: readonly ProofCheck[];
  readonly nodeId: string | undefined;
  readonly nodeKey: string | undefined;
  readonly proven: readonly string[];
  readonly notProven: readonly string[];
}

/** Checks the text of a file of evidence. No content of the file makes it throw. */
export function verifyEvidence(text: string): EvidenceVerdict {
  const evidence = parseEvidence(text);
  if (evidence === undefined) {
    const form = { name: 'form', ok: false, detail: 'this is not evidence in the format conclave/ledger-evidence/v1' };
    return { ok: false, checks: [form], nodeId: undefined, nodeKey: undefined, proven: [], notProven: [] };
  }
  const { nodeId, nodeKey, kind } = evidence;
  const { signed, contradicts, checkpoints } = checkEvidence(evidence);
  const what = contradictions[kind];
  return {
    ok: contradicts,
    checks: [
      { name: 'form', ok: true, detail: 'conclave/ledger-evidence/v1' },
      { name: 'signatures', ok: signed, detail: signed ? `both by the key of node ${nodeId}` : notSigned },
      { name: 'contradiction', ok: contradicts, detail: contradicts ? what : 'what is signed can be true together' },
    ],
    nodeId,
    nodeKey,
    proven: contradicts
      ? [
          `The node ${nodeId} ${what}.`,
          `The key ${nodeKey} signed all of this:`,
          ...checkpoints.map(({ origin, size, root }) => `${origin}: ${size} entries with the root ${toHex(root)}.`),
          ...(evidence.instead === undefined
            ? []
            : [`The later ledger begins with other entries: their root is ${evidence.instead.root}.`]),
        ]
      : [],
    notProven: contradicts
      ? [
          'Who used the key: the operator of the node, a copy of it, or somebody who has its secret.',
          'Which of the ledgers has what really happened.',
        ]
      : [],
  };
}

const notSigned = 'the node did not sign what it is accused of';
