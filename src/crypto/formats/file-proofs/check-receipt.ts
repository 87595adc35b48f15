import { exactTime } from '../../../base/exact-time.ts';
import type { Audited } from './audit.ts';
import type { Checks, Opened } from './checks.ts';
import { isReceiptOf, parseReceipt } from './receipt.ts';

/** Compares a proof with a receipt that the node signed for an access to the same file. */
export function checkReceipt(
  checks: Checks,
  { file, nodeKey }: Opened,
  text: string,
  audited: Audited | undefined,
): void {
  if (file.kind !== 'non-access') {
    checks.undecided.push('A receipt says nothing about a destruction.');
    return;
  }
  const { fileId, fileTag, asOf } = file.verificationBundle;
  const receipt = parseReceipt(text.trim());
  if (receipt === undefined || !isReceiptOf(receipt, fileId, nodeKey)) {
    checks.undecided.push('The receipt is not one that this node signed for this file.');
    return;
  }
  const [then, until] = [exactTime(receipt.time) ?? Number.NaN, exactTime(asOf) ?? Number.NaN];
  if (audited?.receipts.has(receipt.receipt) === true) {
    const isSame = audited.receipts.get(receipt.receipt) === fileTag;
    checks.add('file tag', isSame, 'the access has the tag of the proof', 'contradiction: the access has another tag');
  }
  const isMissing = audited !== undefined && then <= until && !audited.receipts.has(receipt.receipt);
  checks.add(
    'receipt',
    !(then <= until),
    `the access of ${receipt.time} came after what the proof covers`,
    isMissing
      ? `contradiction: the node signed both, and its ledger does not have the access of ${receipt.time}`
      : `contradiction: the node signed both the proof and an access to the file at ${receipt.time}`,
  );
}
