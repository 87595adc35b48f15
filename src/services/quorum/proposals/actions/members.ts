import type { Context } from '../../../../service/context.ts';
import type { PayloadOf } from '../../../../contract/quorum/actions.ts';
import { fromHex } from '../../../../crypto/bytes.ts';
import { memberIdOf } from '../../../../crypto/public-key.ts';
import { membersNamed } from '../../../../shared/members/named.ts';
import { fieldProblem } from '../../../../base/problem.ts';
import { currentEpoch } from '../../members/epochs.ts';
import { counted, knownKey } from '../../members/members.ts';
import { admit, assertAdmissible, assertDismissible, dismiss } from '../../members/membership.ts';
import type { Action } from '../action.ts';

type Addition = PayloadOf<'ADD_MEMBER'>;

export const addMember: Action<Addition> = {
  // Key and account stand in the payload before the first vote, so somebody who registers the address later gets nothing.
  async prepare(ctx, _actor, { accountId: wanted, ...payload }) {
    const account = await accountOf(ctx, payload);
    const publicKey = payload.publicKey ?? account?.publicKey;
    if (publicKey === undefined)
      throw fieldProblem('actionPayload.publicKey', 'is needed, because the node has no account with this address');
    if (wanted !== undefined && wanted !== account?.id)
      throw fieldProblem('actionPayload.accountId', 'is not the account with this key or e-mail address');
    return {
      ...payload,
      publicKey: knownKey(publicKey, 'actionPayload.publicKey'),
      ...(account !== undefined && { accountId: account.id }),
    };
  },
  async check(tx, _proposal, payload) {
    const id = memberIdOf(fromHex(keyOf(payload)));
    await assertAdmissible(tx, await currentEpoch(tx), id, payload.accountId ?? null, payload.email);
  },
  async execute(tx, proposal, { accountId = null, ...payload }) {
    const candidate = { ...payload, publicKey: keyOf(payload), accountId };
    const { row, epoch, changed } = await admit(tx, await currentEpoch(tx), candidate, proposal.id);
    return { changed, details: { memberId: row.id, epoch: epoch.number } };
  },
};

/** The account with the key, or else with the e-mail address. */
async function accountOf(ctx: Context, { publicKey, email }: Addition) {
  const names = [publicKey === undefined ? [] : memberIdOf(fromHex(knownKey(publicKey, 'actionPayload.publicKey')))];
  const found = await membersNamed(ctx, [...names.flat(), ...(email === undefined ? [] : [email])]);
  return found.find((one) => one !== undefined);
}

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
