import { perform, type Caller } from '../../client/perform.ts';
import { ledger, type LedgerContradiction } from '../../contract/ledger.ts';
import type { EvidenceVerdict } from '../../crypto/formats/ledger/verify-evidence.ts';
import { Problem } from '../../base/problem.ts';

/** All contradictions that the node keeps. */
export async function keptEvidence(client: Caller): Promise<LedgerContradiction[]> {
  return (await perform(client, ledger.verify, { full: false })).contradictions;
}

/** The one whose id begins with this. @throws Problem missing EVIDENCE_NOT_FOUND, conflict AMBIGUOUS */
export function findEvidence(kept: readonly LedgerContradiction[], id: string): LedgerContradiction {
  const [found, ...others] = kept.filter((one) => one.id.startsWith(id));
  if (found === undefined)
    throw new Problem('missing', 'EVIDENCE_NOT_FOUND', `This node keeps no evidence whose id begins with ${id}.`);
  if (others.length > 0)
    throw new Problem('conflict', 'AMBIGUOUS', `The ids of ${others.length + 1} contradictions begin with ${id}.`);
  if (found.document === '')
    throw new Problem('missing', 'EVIDENCE_NOT_FOUND', 'An earlier version kept this without what a file needs.');
  return found;
}

/** undefined: the text is a proof, and no evidence */
export async function checkEvidenceText(text: string): Promise<EvidenceVerdict | undefined> {
  const { looksLikeEvidence } = await import('../../crypto/formats/ledger/evidence-file.ts');
  if (!looksLikeEvidence(text)) return undefined;
  const { verifyEvidence } = await import('../../crypto/formats/ledger/verify-evidence.ts');
  return verifyEvidence(text);
}

/** Evidence names the key that signed it, so a key or witnesses that somebody asks for would prove nothing more. */
export function takesNoKey(path: string): Problem {
  const why = 'It names the key that signed it. Leave out --key and --witness-policy.';
  return new Problem('invalid', 'USAGE', `${path} is evidence, and no proof of an entry. ${why}`);
}
