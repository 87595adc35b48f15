import type { Mutant } from './mutant.ts';

const proposals = 'src/services/quorum/proposals';
const tests = ['test/services/quorum/votes.test.ts'];
const refused = ['test/services/quorum/refused.thorough.test.ts'];

export const quorumGovernanceMutants: readonly Mutant[] = [
  {
    file: `${proposals}/execute.ts`,
    what: 'signatures of the votes that decide',
    from: 'ballots.filter((ballot) => isSigned(tx, row, ballot, verified))',
    to: 'ballots.filter(() => verified)',
    tests,
  },
  {
    file: `${proposals}/execute.ts`,
    what: 'signatures of an approval that waited',
    from: '.filter((ballot) => isSigned(tx, row, ballot, new Map()))',
    to: '',
    tests,
  },
  {
    file: `${proposals}/execute.ts`,
    what: 'threshold of the epoch for an approval that waited',
    from: 'electorateOf(row, actionFor(row)?.routine === true, epoch, epoch)',
    to: 'electorateOf(row, actionFor(row)?.routine === true, epoch, { ...epoch, threshold: 0 })',
    tests,
  },
  {
    file: `${proposals}/execute.ts`,
    what: 'the stored action is what was voted on',
    from: 'hashOf(row) !== row.action_hash',
    to: 'row.action_hash === "none"',
    tests,
  },
  {
    file: `${proposals}/ballots.ts`,
    what: 'the key is that of the id',
    from: 'isKeyOf(id, key) &&',
    to: '',
    tests,
  },
  {
    file: `${proposals}/tally.ts`,
    what: 'votes of removed members',
    from: 'ids.filter((id) => active.has(id))',
    to: 'ids.filter((id) => active.size > 0 || id)',
    tests,
  },
  {
    file: `${proposals}/tally.ts`,
    what: 'a threshold that was raised',
    from: 'Math.max(atFirst, current.threshold)',
    to: 'atFirst',
    tests,
  },
  {
    file: `${proposals}/votes.ts`,
    what: 'who decides',
    from: '!electorate.voterIds.has(own.id)',
    to: 'electorate.voterIds.size === 0',
    tests,
  },
  {
    file: `${proposals}/proposals.ts`,
    what: 'the end of a proposal',
    from: 'ends <= clock.now()',
    to: 'ends < 0 && clock',
    tests: ['test/services/quorum/proposals.test.ts'],
  },
  {
    file: `${proposals}/creating.ts`,
    what: 'nobody proposes for somebody else',
    from: 'proposerMemberId !== undefined &&',
    to: 'proposerMemberId === null &&',
    tests: ['test/services/quorum/governance.thorough.test.ts'],
  },
  {
    file: 'src/contract/quorum/actions.ts',
    what: 'an action that nobody can sign',
    from: '(fields) => isSignable(fields)',
    to: '(fields) => fields !== null',
    tests: refused,
  },
  {
    file: `${proposals}/actions/rules.ts`,
    what: 'a threshold of one member',
    from: 'threshold < 2 ||',
    to: 'threshold < 1 ||',
    tests: refused,
  },
  {
    file: `${proposals}/actions/rules.ts`,
    what: 'a member twice in the inner quorum',
    from: 'new Set(memberIds).size < memberIds.length',
    to: 'new Set(memberIds).size > memberIds.length',
    tests: refused,
  },
  {
    file: `${proposals}/execute.ts`,
    what: 'what is gone by the decision',
    from: '  await action.check(tx, row, payload);\n',
    to: '',
    tests: ['test/services/quorum/gone-meanwhile.test.ts'],
  },
  {
    file: 'src/shared/members/named.ts',
    what: 'an e-mail address is verified before it names anybody',
    from: "if (addresses === 'claimed' || hasVerifiedEmail(ctx, row)) found.set(",
    to: 'if (hasVerifiedEmail !== undefined) found.set(',
    tests: ['test/services/quorum/links.test.ts'],
  },
  {
    file: 'src/services/quorum/proposals/actions/members.ts',
    what: 'the address of a proposal is verified when it is carried out',
    from: '    await assertProven(tx, payload);\n',
    to: '',
    tests: ['test/services/quorum/links.test.ts'],
  },
  {
    file: 'src/services/quorum/documents/too-few.ts',
    what: 'removed holders are named to members alone',
    from: 'const former = isMember ? await formerHolders(ctx, document) : [];',
    to: 'const former = isMember || !isMember ? await formerHolders(ctx, document) : [];',
    tests: ['test/services/quorum/documents-refused.thorough.test.ts'],
  },
  {
    file: 'src/services/quorum/documents/unsealing.ts',
    what: 'shares of removed holders count for nothing',
    from: '.filter(({ memberId }) => holders.get(memberId)?.active !== 0);',
    to: '.filter(({ memberId }) => holders.get(memberId)?.active !== 2);',
    tests: ['test/services/quorum/documents-refused.thorough.test.ts'],
  },
];
