import { validSignatures, type SignedList } from './acl-chain.ts';

export type Branch = readonly [SignedList, ...SignedList[]];

/**
 * Which of two branches counts that follow one list, both validly signed: that happens when two halves of a pool decide while they can't
 * hear each other, or when somebody signs two lists of one version. Every node comes to the same answer from the same two branches.
 *
 * A branch stands only if enough of those who signed its first list are still administrators at the end of the other branch: whoever was
 * removed can't undo that by signing another past. Where both stand, the first list with the lower hash counts. Where neither does, each
 * side has removed the other, and that is for people: nobody changes anything.
 */
export function countingBranch(common: SignedList, ours: Branch, theirs: Branch): 'ours' | 'theirs' | 'neither' {
  const oursStands = stands(common, ours, theirs);
  const theirsStands = stands(common, theirs, ours);
  if (oursStands !== theirsStands) return oursStands ? 'ours' : 'theirs';
  if (!oursStands) return 'neither';
  return ours[0].hash <= theirs[0].hash ? 'ours' : 'theirs';
}

function stands(common: SignedList, branch: Branch, other: Branch): boolean {
  const { admins, threshold } = common.document;
  const end = other.at(-1) ?? other[0];
  const still = new Set(end.document.admins.map(({ memberId }) => memberId));
  const signers = validSignatures(branch[0], admins).filter(({ memberId }) => still.has(memberId));
  return signers.length >= threshold;
}
