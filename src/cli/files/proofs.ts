import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { perform, type Caller } from '../../client/perform.ts';
import { filevault } from '../../contract/filevault.ts';
import { ledger } from '../../contract/ledger.ts';
import type { FileProofReport } from '../../crypto/formats/file-proofs/verify.ts';
import { Problem } from '../../base/problem.ts';
import { unreadable } from '../kit/file-reasons.ts';
import type { Screen } from '../kit/screen.ts';
import { describeVerdict } from '../ledger/ledger-details.ts';
import { readPolicy } from '../ledger/ledger-proof.ts';
import { parseRemotePath } from './paths.ts';
import { fileAt } from './places.ts';

/** A file by its path, or by its id: a file that was destroyed has no path any more. */
export async function fileIdOf(client: Caller, text: string): Promise<string> {
  if (/^[0-9a-f]{32}$/.test(text)) return text;
  return (await fileAt(client, parseRemotePath(text))).id;
}

/** The proof that a file was never opened or, if it was destroyed, the certificate of that. */
export async function fetchFileProof(
  client: Caller,
  id: string,
  checkpoint: 'newest' | 'cosigned',
): Promise<{ readonly kind: 'non-access' | 'destruction'; readonly text: string }> {
  const { writeFileProof } = await import('../../crypto/formats/file-proofs/format.ts');
  try {
    const { proof, verificationBundle } = await perform(client, filevault.proveNonAccess, { id, checkpoint });
    return { kind: 'non-access', text: writeFileProof({ kind: 'non-access', proof, verificationBundle }) };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'FILE_DESTROYED') throw error;
  }
  const { proof, certificate } = await perform(client, filevault.showDestruction, { fileId: id });
  if (certificate === undefined)
    throw new Problem(
      'conflict',
      'NODE_STOPPED',
      'The node signs nothing, so it makes no certificate. Ask its operator.',
    );
  return { kind: 'destruction', text: writeFileProof({ kind: 'destruction', proof, certificate }) };
}

/** The entries of a ledger, each as canonical JSON. */
export async function* entriesOf(client: Caller): AsyncGenerator<string> {
  for (let from = 0; ;) {
    const { entries, next } = await perform(client, ledger.entries, { from, limit: 1_000 });
    for (const { entry } of entries) yield entry;
    if (next === undefined) return;
    from = next;
  }
}

/** The lines of a file, which is read piece by piece. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: 0 }))
      if (line !== '') yield line;
  } catch (cause) {
    throw new Problem('invalid', 'INPUT_UNREADABLE', `--entries: ${unreadable(path, cause)}`, { cause });
  }
}

export interface Against {
  readonly key?: string | undefined;
  /** text of a policy of witnesses */
  readonly policy?: string | undefined;
  readonly kept?: string | undefined;
  readonly entries?: AsyncIterable<string> | undefined;
  readonly receipt?: string | undefined;
}

/** Checks a proof from its bytes alone. */
export async function checkFileProof(text: string, { policy, ...against }: Against = {}): Promise<FileProofReport> {
  const { verifyFileProof } = await import('../../crypto/formats/file-proofs/verify.ts');
  return await verifyFileProof(text, {
    ...against,
    policy: policy === undefined ? undefined : await readPolicy(policy),
  });
}

/** @throws Problem invalid INPUT_UNREADABLE, USAGE */
export async function readFileProof(path: string): Promise<string> {
  const { LONGEST_PROOF } = await import('../../crypto/formats/file-proofs/format.ts');
  try {
    if ((await stat(path)).size <= LONGEST_PROOF) return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Problem('invalid', 'INPUT_UNREADABLE', unreadable(path, cause), { cause });
  }
  throw new Problem('invalid', 'USAGE', `${path} is too large to be a proof.`);
}

const words = {
  valid: {
    'non-access': 'Valid: the file was not opened, by the record of the node.',
    destruction: 'Valid: the file was destroyed, by the record of the node.',
  },
  invalid: 'Not valid: do not rely on this proof.',
  undecided: 'Not decided: something is missing.',
} as const;

/** Every result says what it does not show. */
export function describeFileProof(screen: Screen, report: FileProofReport): string {
  const { verdict, kind } = report;
  const title = verdict === 'valid' ? words.valid[kind ?? 'non-access'] : words[verdict];
  return [screen.paint('bold', title), describeVerdict(screen, report)].join('\n');
}

/** What a shell hears. */
export const exitCodes = { valid: 0, invalid: 1, undecided: 2 } as const;
