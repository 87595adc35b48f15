import type { Mutant } from './mutant.ts';

const sessions = ['test/services/quorum/sessions.test.ts'];
const reshares = ['test/services/quorum/reshares.thorough.test.ts'];
const client = ['test/services/quorum/client-unseal.thorough.test.ts'];

export const quorumSessionMutants: readonly Mutant[] = [
  {
    file: 'src/services/quorum/sessions/closing.ts',
    what: 'erasing of shares at the end of a session',
    from: '.set({ encrypted_share: null })',
    to: '.set((e) => ({ encrypted_share: e.ref("encrypted_share") }))',
    tests: sessions,
  },
  {
    file: 'src/services/quorum/sessions/closing.ts',
    what: 'end of a session before its job ran',
    from: "return row.status === 'open' && row.expires_at > clock.now();",
    to: "return row.status === 'open' && clock.now() > 0;",
    tests: sessions,
  },
  {
    file: 'src/services/quorum/sessions/contributions.ts',
    what: 'signature of a contribution',
    from: 'if (!verify(fromHex(own.public_key), statement, fromHex(signature))) throw wrongSignature();',
    to: 'verify(fromHex(own.public_key), statement, fromHex(signature)) || wrongSignature;',
    tests: sessions,
  },
  {
    file: 'src/services/quorum/sessions/sessions.ts',
    what: 'shares for the requester alone',
    from: 'if (live && row.requester_id === actor.memberId)',
    to: 'if (live)',
    tests: sessions,
  },
  {
    file: 'src/services/quorum/sessions/rights.ts',
    what: 'signed votes behind a permit',
    from: ' && (await wasApproved(ctx, proposal))',
    to: ' && wasApproved !== undefined',
    tests: sessions,
  },
  {
    file: 'src/services/quorum/sessions/rights.ts',
    what: 'people of a proposal',
    from: '(await accountsOf(ctx, memberIds)).includes(accountId) &&',
    to: '(await accountsOf(ctx, memberIds)).length > 0 &&',
    tests: sessions,
  },
  {
    file: 'src/services/quorum/sessions/ending.ts',
    what: 'contributions of a removed member',
    from: "  if ('memberId' in whose) await withdrawContributions(tx, actorId, whose.memberId, why);\n",
    to: '',
    tests: sessions,
  },
  {
    file: 'src/services/quorum/reshares/confirming.ts',
    what: 'signature of a confirmation',
    from: 'if (!verify(fromHex(publicKey), statement, fromHex(signature))) throw wrongSignature();',
    to: 'verify(fromHex(publicKey), statement, fromHex(signature)) || wrongSignature;',
    tests: reshares,
  },
  {
    file: 'src/services/quorum/reshares/confirming.ts',
    what: 'number of confirmations',
    from: '.length >= row.shares_required;',
    to: '.length >= row.shares_required - 1;',
    tests: reshares,
  },
  {
    file: 'src/services/quorum/reshares/confirming.ts',
    what: 'end of sessions for old shares',
    from: "  await endSessionsOf(tx, actorId, { documentId }, 'RESHARED');\n",
    to: '',
    tests: reshares,
  },
  {
    file: 'src/services/quorum/reshares/new-shares.ts',
    what: 'contributions before new shares',
    from: '    await assertAgreed(tx, actor, row, document);\n',
    to: '',
    tests: reshares,
  },
  {
    file: 'src/client/quorum/collected.ts',
    what: 'signature of what was collected',
    from: 'if (memberIdOf(publicKey) !== memberId || !verify(publicKey, statement, fromHex(signature)))',
    to: 'if (memberIdOf(publicKey) !== memberId || verify === undefined || statement === undefined || signature === "")',
    tests: client,
  },
  {
    file: 'src/client/quorum/collected.ts',
    what: 'commitment of what was collected',
    from: '    assertCommitted(share, { salt: fromHex(holder.salt), commitment: holder.commitment });\n',
    to: '',
    tests: client,
  },
];
