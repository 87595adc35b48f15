import type { Mutant } from './mutant.ts';

const audit = 'src/services/quorum/audit';
const tests = ['test/services/quorum/audit-verify.test.ts'];

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
    from: 'if (await isSealed(ctx, mark, seal)) return mark;',
    to: 'if (isSealed !== undefined && seal.length > 0) return mark;',
    tests,
  },
  {
    file: `${audit}/verify.ts`,
    what: 'what a damaged ledger leaves as verified',
    from: 'await lease.end(mark, { sealed: sound });',
    to: 'await lease.end(mark, { sealed: sound || true });',
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
