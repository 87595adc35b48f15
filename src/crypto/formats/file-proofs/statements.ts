import type { ProofReport } from '../ledger/verify-proof.ts';
import type { FileProof } from './format.ts';

/** What a valid proof shows, in sentences for people. */
export function provenBy(file: FileProof, { nodeId, logKey, index, entry }: ProofReport, audited: boolean): string[] {
  const who = `The node ${nodeId ?? 'of this log'}, with the log key ${logKey ?? ''},`;
  if (file.kind === 'destruction') {
    const { leaves, fileId } = file.certificate;
    return [
      `${who} recorded at ${entry?.time ?? ''}, as entry ${index ?? 0} of its ledger, that it destroyed the file ${fileId}: ${leaves.length - 1} wrapped keys, manifests and blocks.`,
      'The record cannot be changed or taken back without contradicting what the node has signed.',
    ];
  }
  const { fileId, coversTo, asOf } = file.verificationBundle;
  return [
    `${who} signed that no access to the file ${fileId} is among the first ${coversTo} entries of its ledger, in which it records an access before it sends the first byte. That was so until ${asOf}.`,
    ...(audited ? [`It is so: the ${coversTo} entries have no access to the file.`] : []),
    'If an access is in these entries all the same, whoever has the entries can show that the node lied. So can whoever has a receipt of an access that is not newer.',
  ];
}

/** What no proof of this kind shows. It belongs to every result. */
export function notProvenBy(file: FileProof | undefined, report: ProofReport | undefined, audited: boolean): string[] {
  const ledger = report?.notProven ?? [];
  // The last two sentences of a report are about any entry; what follows says it for files.
  const about = ledger.slice(0, -2);
  if (file === undefined) return ['Anything.'];
  if (file.kind === 'destruction')
    return [
      ...about,
      'That nobody has a copy: whoever downloaded the file has it.',
      'That no copy of the erasure keys is left: the last backup has them until the next one, every copy of it elsewhere, and perhaps the memory or the disk.',
      'That the time is right: it is that of the clock of the node.',
    ];
  return [
    ...about,
    'That nobody read the file: whoever controls the node, its memory or its backups can copy it without a record.',
    ...(audited ? [] : ['That the filter has all recorded accesses: give the entries of the ledger to recompute it.']),
    'That the tag in the ledger is that of the file: it is what the node says. Entries and a receipt of any access show it.',
    `What happened after ${file.verificationBundle.asOf}.`,
    'That the times are right: they are those of the clock of the node.',
  ];
}
