import type { PayloadOf } from '../../../../contract/quorum/actions.ts';
import { fromHex } from '../../../../crypto/bytes.ts';
import { memberIdOf } from '../../../../crypto/public-key.ts';
import { fieldProblem } from '../../../../base/problem.ts';
import { currentEpoch } from '../../members/epochs.ts';
import { accountToLink, assertProven } from '../../members/linking.ts';
import { counted, knownKey } from '../../members/members.ts';
import { admit, assertAdmissible, assertDismissible, dismiss } from '../../members/membership.ts';
import type { Action } from '../action.ts';

type Addition = PayloadOf<'ADD_MEMBER'>;

export const addMember: Action<Addition> = {
  // Key and account stand in the payload before the first vote, so somebody who registers the address later gets nothing.
  async prepare(ctx, _actor, { name, email, role, accountId, publicKey: brought }) {
    const given = brought === undefined ? undefined : knownKey(brought, 'actionPayload.publicKey');
    const link = await accountToLink(ctx, { publicKey: given, accountId, email }, 'actionPayload.accountId');
    const publicKey = given ?? link?.account.publicKey;
    if (publicKey === undefined)
      throw fieldProblem(
        'actionPayload.publicKey',
        'is needed, because the node has no account with this verified address',
      );
    return {
      name,
      ...(email !== undefined && { email }),
      ...(role !== undefined && { role }),
      publicKey: knownKey(publicKey, 'actionPayload.publicKey'),
      ...(link && { accountId: link.account.id, linkedBy: link.linkedBy }),
    };
  },
  async check(tx, _proposal, payload) {
    await assertProven(tx, payload);
    const id = memberIdOf(fromHex(keyOf(payload)));
    await assertAdmissible(tx, await currentEpoch(tx), id, payload.accountId ?? null, payload.email);
  },
  async execute(tx, proposal, payload) {
    const { name, email, role, accountId } = payload;
    const candidate = { name, email, role, accountId, publicKey: keyOf(payload) };
    const { row, epoch, changed } = await admit(tx, await currentEpoch(tx), candidate, proposal.id);
    return { changed, details: { memberId: row.id, epoch: epoch.number } };
  },
};

function keyOf({ publicKey }: Addition): string {
  if (publicKey === undefined) throw fieldProblem('actionPayload.publicKey', 'is missing');
  return publicKey;
}

export const removeMember: Action<PayloadOf<'REMOVE_MEMBER'>> = {
  async check(tx, _proposal, { memberId }) {
    assertDismissible(await currentEpoch(tx), memberId);
  },
  async execute(tx, proposal, { memberId }, actorId) {
    const { epoch, changed, documents } = await dismiss(tx, actorId, await currentEpoch(tx), memberId, proposal.id);
    return { changed, details: { memberId, epoch: epoch.number, ...counted(documents) } };
  },
};
