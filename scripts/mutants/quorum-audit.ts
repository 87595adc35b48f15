import type { Mutant } from './mutant.ts';

const audit = 'src/services/quorum/audit';
const tests = ['test/services/quorum/audit-verify.thorough.test.ts'];

export const quorumAuditMutants: readonly Mutant[] = [
  {
    file: `${audit}/records.ts`,
    what: 'commitment of an entry of the audit trail',
    from: ' || commit !== commitmentOf(opening.salt, opening.details)',
    to: ' || commit === undefined || commitmentOf === undefined',
    tests,
  },
  {
    file: `${audit}/records.ts`,
    what: 'hash of a record of the audit trail',
    from: '.find(({ hash }) => committed === `{"hash":"${hash}"}`)',
    to: '.find(({ hash }) => committed !== hash)',
    tests,
  },
  {
    file: `${audit}/fold.ts`,
    what: 'head of the ledger below the audit trail',
    from: 'if (complete && Buffer.compare(mark.frontier, head.frontier) !== 0)',
    to: 'if (complete && Buffer.compare(mark.frontier, mark.frontier) !== 0)',
    tests,
  },
  {
    file: `${audit}/verify.ts`,
    what: 'seal of earlier verifications of the audit trail',
    from: 'if (isSameSeal(seal, await sealOf(ctx, mark, lease.alive))) return lease.before;',
    to: 'if (isSameSeal(seal, seal)) return lease.before;',
    tests,
  },
  {
    file: `${audit}/verify.ts`,
    what: 'what a damaged ledger leaves as verified',
    from: 'sound ? (same ??',
    to: 'sound || mark ? (same ??',
    tests,
  },
  {
    file: `${audit}/rows.ts`,
    what: 'rows that are gone from the audited tables',
    from: 'if (known < (await countVerified(ctx, table))) await findMissing(ctx, table, suspects);',
    to: 'if (known < -(await countVerified(ctx, table))) await findMissing(ctx, table, suspects);',
    tests,
  },
  {
    file: `${audit}/lease.ts`,
    what: 'one verification of the audit trail at a time',
    from: 'if (kept.numUpdatedRows === 0n) throw busy();',
    to: 'if (kept.numUpdatedRows < 0n) throw busy();',
    tests,
  },
  {
    file: `${audit}/vote-signatures.ts`,
    what: 'signatures of votes that the audit trail has',
    from: 'if (!isSigned(ctx, proposal, ballot, new Map()))',
    to: 'if (isSigned === undefined)',
    tests,
  },
];
