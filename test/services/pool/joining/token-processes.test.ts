import { describe, expect, it } from 'vitest';
import { pool } from '../../../../src/contract/pool.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { generateKeyPair, type KeyPair } from '../../../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../../../src/crypto/public-key.ts';
import { ensureList } from '../../../../src/services/pool/acl/commit.ts';
import { Problem } from '../../../../src/base/problem.ts';
import { joinResponder } from '../../../../src/services/pool/joining/join-protocol.ts';
import { parseToken, proveToken } from '../../../../src/services/pool/joining/token.ts';
import type { House } from '../../../support/house.ts';
import { withTwoProcesses } from '../../../support/two-processes.ts';
import { bothEngines } from '../../../support/stores.ts';
import { requestBy } from '../pool-scene.ts';
import { inStage } from '../../../support/stage.ts';

const HOUR = 3_600_000;

/** A machine shows a token to one of the processes. @returns what it is told, or the reason why it is refused */
async function show({ ctx }: House, identity: KeyPair, token: string): Promise<unknown> {
  const nodeId = nodeIdOf(identity.publicKey);
  const { poolId } = (await ensureList(ctx)).document;
  const { id, proof } = proveToken(parseToken(token), nodeId);
  const asked = { ask: 'admission', ...requestBy(identity, poolId, ctx.clock.now()), token: { id, proof } };
  const peer = { nodeId, publicKey: toHex(identity.publicKey), admitted: false, addresses: [] };
  return await joinResponder(ctx, async () => {})(asked, peer).then(
    (told) => (told as { status: string }).status,
    (error: unknown) => (error instanceof Problem ? `${error.code}: ${error.message}` : error),
  );
}

const usedUp = 'JOIN_TOKEN_REFUSED: The join token is used up.';

describe.runIf(bothEngines.includes('postgres'))('two processes on one database of postgres', () => {
  const shown = [
    [3, 8],
    [1, 2],
    [1, 8],
  ] as const;
  it.each(shown.slice(0, inStage(1, 1, 3)))(
    'admit by a token of %d uses so many of %d machines that show it at once, and tell the others why',
    async (uses, machines) => {
      await withTwoProcesses(async (one, other) => {
        const boss = await one.administrator();
        const expiresAt = new Date(one.clock.now() + HOUR).toISOString();
        const { body } = await one.perform(pool.createToken, { expiresAt, uses }, boss.token);

        const identities = Array.from({ length: machines }, () => generateKeyPair());
        const told = await Promise.all(
          identities.map(async (identity, at) => await show(at % 2 === 0 ? one : other, identity, body.token)),
        );
        const refused = Array.from({ length: machines - uses }, () => usedUp);
        expect(told.toSorted()).toEqual([...refused, ...Array.from({ length: uses }, () => 'approved')]);

        const admitted = identities
          .filter((_, at) => told[at] === 'approved')
          .map(({ publicKey }) => nodeIdOf(publicKey));
        const { document } = await ensureList(other.ctx);
        const [, ...joined] = document.writers.map(({ nodeId }) => nodeId);
        expect([document.version, joined.toSorted()]).toEqual([1 + uses, admitted.toSorted()]);
        for (const house of [one, other]) {
          const [token] = (await house.perform(pool.listTokens, {}, boss.token)).body.joinTokens;
          expect(token).toMatchObject({ status: 'used', uses, used: uses });
          expect(token.nodes.toSorted()).toEqual(admitted.toSorted());
          // Whoever was refused doesn't wait for anybody either.
          expect((await house.perform(pool.pendingNodes, {}, boss.token)).body.count).toBe(0);
          expect((await house.perform(pool.verifyAcl, {}, boss.token)).body.valid).toBe(true);
        }
      });
    },
  );
});
