import type { PayloadOf } from '../../../../contract/quorum/actions.ts';
import { admitGoverned, assertPending } from '../../../pool/joining/governed.ts';
import type { Action } from '../action.ts';
import { grantPermit } from '../permits.ts';

/** What another service destroys: the decision allows it once, and the service asks for it with `useApproval` (approvals.ts). */
const destruction: Action<PayloadOf<'VAULT_FILE_DESTROY'>> = {
  destructive: true,
  check: async () => undefined,
  async execute(tx, proposal, { targetId }) {
    return { changed: await grantPermit(tx, proposal, { target: targetId, holderIds: [] }), details: { targetId } };
  },
};

export const vaultFileDestroy = destruction;
export const vaultContainerDestroy = destruction;

/** The node admits another one to its pool, by its own key. It makes a list of its own, so it is carried out apart from the decision. */
export const poolNodeApprove: Action<PayloadOf<'POOL_NODE_APPROVE'>> = {
  async check(tx, _proposal, { nodeId }) {
    await assertPending(tx, nodeId);
  },
  async execute() {
    throw new Error('it is carried out apart');
  },
  async carryOutApart(ctx, _proposal, { nodeId }, done) {
    await admitGoverned(ctx, nodeId, async (tx) => await done(tx, { changed: [], details: { nodeId } }));
  },
};
