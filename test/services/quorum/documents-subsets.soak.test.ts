import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { runs } from '../../support/stage.ts';
import { openQuorum, said } from './scene.ts';

const MEMBERS = 6;

describe.each(engines)('members and thresholds on %s', (engine) => {
  it('open with every subset of holders that is large enough, and with no other', async () => {
    await using scene = await openQuorum(engine, MEMBERS + 1);
    const { people } = scene;
    const stranger = people[MEMBERS]!;
    const wanted = fc
      .integer({ min: 2, max: MEMBERS })
      .chain((n) =>
        fc.tuple(
          fc.shuffledSubarray(people.slice(0, MEMBERS), { minLength: n, maxLength: n }),
          fc.integer({ min: 2, max: n }),
        ),
      );
    await fc.assert(
      fc.asyncProperty(wanted, fc.jsonValue(), async ([holders, sharesRequired], document) => {
        const memberIds = holders.map(({ id }) => id);
        const { documentId } = await scene.ask('POST', '/documents/seal', { document, memberIds, sharesRequired });
        const open = async (chosen: readonly { id: string; mnemonic: string }[]) =>
          await scene.call('POST', `/documents/${documentId}/unseal`, {
            memberCredentials: chosen.map(({ id: memberId, mnemonic }) => ({ memberId, mnemonic })),
          });
        for (let bits = 0; bits < 2 ** holders.length; bits += 1) {
          const chosen = holders.filter((_, at) => (bits & (1 << at)) !== 0);
          // Larger ones open as well; trying all of them adds nothing.
          if (chosen.length > sharesRequired + 1) continue;
          const answer = await open(chosen);
          if (chosen.length < sharesRequired) expect(said(answer)).toBe('400 INSUFFICIENT_SHARES');
          // -0 is 0 once the test has written it.
          else expect(answer.body.document).toEqual(JSON.parse(JSON.stringify(document)));
          const named = chosen.map(({ id }) => id).join(',');
          const look = await scene.ask('GET', `/documents/${documentId}/can-unlock?memberIds=${named}`);
          expect(look).toMatchObject({ canUnlock: chosen.length >= sharesRequired, sharesProvided: chosen.length });
        }
        expect(said(await open([...holders.slice(0, sharesRequired - 1), stranger]))).toBe(
          '400 SHARE_DECRYPTION_FAILED',
        );
      }),
      { numRuns: runs(12) },
    );
  });
});
