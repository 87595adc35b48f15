import type { Mutant } from './mutant.ts';

export const ledgerMutants: readonly Mutant[] = [
  {
    file: 'src/ledger/verify-proof.ts',
    what: 'name of the key',
    from: 'const signed = verifier.name === checkpoint?.origin && isSignedBy(note, verifier);',
    to: 'const signed = isSignedBy(note, verifier);',
    tests: ['test/ledger'],
  },
  {
    file: 'src/ledger/verify-proof.ts',
    what: 'node of the key',
    from: 'const bound = genesis.logKey === logKey && isSignedByNode',
    to: 'const bound = isSignedByNode',
    tests: ['test/ledger'],
  },
  {
    file: 'src/ledger/verify-proof.ts',
    what: 'genesis in the log',
    from: 'if (body === undefined || !verifyInclusion({ index, size, root, proof, leafHash: leafHash(body) })) return undefined;',
    to: 'if (body === undefined) return undefined;',
    tests: ['test/ledger'],
  },
  {
    file: 'src/ledger/verify-proof.ts',
    what: 'origin of a history',
    from: 'return older.origin === newer.origin && verify',
    to: 'return verify',
    tests: ['test/ledger'],
  },
  {
    file: 'src/ledger/verify-proof.ts',
    what: 'origin of a signed checkpoint',
    from: 'return checkpoint?.origin === verifier.name ? checkpoint : undefined;',
    to: 'return checkpoint;',
    tests: ['test/ledger'],
  },
  {
    file: 'src/ledger/verify-ledger.ts',
    what: 'seal of the head',
    from: '} else if (!same(row.seal, sealOf(keys, row))) {',
    to: '} else if (false as boolean) {',
    tests: ['test/ledger/verify-ledger.test.ts'],
  },
  {
    file: 'src/ledger/verify-ledger.ts',
    what: 'key named twice',
    from: 'if (seen.has(logKey))',
    to: 'if (false as boolean)',
    tests: ['test/ledger/verify-ledger.test.ts'],
  },
  {
    file: 'src/ledger/verify-ledger.ts',
    what: 'strays',
    from: '  await findStrays(ctx, faults);\n',
    to: '',
    tests: ['test/ledger/verify-ledger.test.ts'],
  },
  {
    file: 'src/ledger/verify-ledger.ts',
    what: 'key of the head',
    from: 'if (current?.logKey !== row.log_key && !faults',
    to: 'if (false as boolean && !faults',
    tests: ['test/ledger/verify-ledger.test.ts'],
  },
];
