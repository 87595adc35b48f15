import { readFile } from 'node:fs/promises';
import { download } from '../../client/bodies.ts';
import { perform, type Caller } from '../../client/perform.ts';
import { ledger } from '../../contract/ledger.ts';
import type { ProofReport } from '../../crypto/formats/ledger/verify-proof.ts';
import type { Policy } from '../../crypto/formats/ledger/policy.ts';
import { Problem } from '../../base/problem.ts';
import { unreadable } from '../kit/file-reasons.ts';

/** Fetches a signed checkpoint of the ledger: the newest, or the newest that other nodes have cosigned. */
export async function fetchCheckpoint(client: Caller, which: 'newest' | 'cosigned' = 'newest'): Promise<string> {
  const { body } = await download(client, ledger.checkpoint, { which });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads the number of entries from a checkpoint, without verifying its signatures. */
export async function sizeIn(checkpoint: string): Promise<number> {
  const [{ parseNote }, { parseCheckpoint }] = await Promise.all([
    import('../../crypto/formats/ledger/signed-note.ts'),
    import('../../crypto/formats/ledger/checkpoint.ts'),
  ]);
  const size = parseCheckpoint(parseNote(checkpoint)?.text ?? '')?.size;
  if (size === undefined) throw new Problem('network', 'BAD_REPLY', 'The answer of the server is not a checkpoint.');
  return size;
}

/**
 * Builds a proof file for one entry. Unless a checkpoint is given, it is under the newest cosigned one, or under the newest if the entry came
 * later. It does not check the proof.
 */
export async function fetchProof(client: Caller, index: number, checkpoint?: string): Promise<string> {
  const { writeProofFile } = await import('../../crypto/formats/ledger/proof-file.ts');
  let note = checkpoint ?? (await fetchCheckpoint(client, 'cosigned'));
  if (checkpoint === undefined && (await sizeIn(note)) <= index) note = await fetchCheckpoint(client);
  const size = await sizeIn(note);
  const { genesis } = await perform(client, ledger.head, {});
  const [about, first] = [
    await leafOf(client, index, size),
    genesis === null ? undefined : await leafOf(client, genesis, size),
  ];
  return writeProofFile({
    index,
    proof: about.proof,
    checkpoint: note,
    extra: {
      entry: about.entry,
      ...(first !== undefined && genesis !== null && { genesis: { index: genesis, ...first } }),
    },
  });
}

async function leafOf(client: Caller, index: number, size: number) {
  const { entries } = await perform(client, ledger.entries, { from: index, limit: 1 });
  const { proof } = await perform(client, ledger.inclusion, { index, size: Math.max(1, size) });
  return { entry: entries[0]?.entry ?? '', proof: proof.map((hash) => Uint8Array.from(Buffer.from(hash, 'hex'))) };
}

/** What a caller knows of a log. */
export interface Known {
  /** its verifier key */
  readonly key?: string | undefined;
  /** text of a policy of witnesses */
  readonly policy?: string | undefined;
}

/** Checks a proof file from its bytes alone, without a node. */
export async function checkProof(text: string, { key, policy }: Known = {}): Promise<ProofReport> {
  const { verifyProofFile } = await import('../../crypto/formats/ledger/verify-proof.ts');
  return verifyProofFile(text, { key, policy: policy === undefined ? undefined : await readPolicy(policy) });
}

/** @throws Problem invalid POLICY_INVALID, saying which line is wrong */
export async function readPolicy(text: string): Promise<Policy> {
  const { parsePolicy } = await import('../../crypto/formats/ledger/policy.ts');
  const policy = parsePolicy(text);
  if ('fault' in policy)
    throw new Problem('invalid', 'POLICY_INVALID', `The policy of witnesses is wrong: ${policy.fault}.`);
  return policy;
}

/** Proofs and checkpoints are a few kilobytes. */
const longest = 1_000_000;

/** @throws Problem invalid INPUT_UNREADABLE or USAGE, naming the flag that named the file */
export async function readProofText(flag: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Problem('invalid', 'INPUT_UNREADABLE', `${flag}: ${unreadable(path, cause)}`, { cause });
  });
  if (text.length > longest)
    throw new Problem('invalid', 'USAGE', `${flag}: ${path} is too large to be a proof or a checkpoint.`);
  return text;
}
