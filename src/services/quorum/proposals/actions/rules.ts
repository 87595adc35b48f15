import type { PayloadOf } from '../../../../contract/quorum/actions.ts';
import { fieldProblem, Problem } from '../../../../base/problem.ts';
import { countHoldersChanged } from '../../documents/holders.ts';
import { beginEpoch, currentEpoch } from '../../members/epochs.ts';
import { memberNotFound } from '../../problems.ts';
import type { Action, Payload } from '../action.ts';

export const changeThreshold: Action<PayloadOf<'CHANGE_THRESHOLD'>> = {
  async check(tx, _proposal, { threshold }) {
    const { memberIds } = await currentEpoch(tx);
    if (threshold < 2 || threshold > memberIds.length)
      throw fieldProblem('actionPayload.threshold', `must be from 2 to the number of members, ${memberIds.length}`, {
        code: 'INVALID_THRESHOLD',
      });
  },
  async execute(tx, proposal, { threshold }) {
    const { epoch, changed } = await beginEpoch(tx, await currentEpoch(tx), { threshold }, proposal.id);
    return { changed, details: { threshold, epoch: epoch.number } };
  },
};

export const changeInnerQuorum: Action<PayloadOf<'CHANGE_INNER_QUORUM'>> = {
  async check(tx, _proposal, { memberIds }) {
    const current = await currentEpoch(tx);
    if (new Set(memberIds).size < memberIds.length)
      throw fieldProblem('actionPayload.memberIds', 'names a member twice');
    const stranger = memberIds.find((id) => !current.memberIds.includes(id));
    if (stranger !== undefined) throw memberNotFound(stranger);
    if (memberIds.length > 0 && memberIds.length < current.threshold)
      throw fieldProblem(
        'actionPayload.memberIds',
        `must be at least as many as the threshold, ${current.threshold}, or none`,
        { code: 'INVALID_MEMBER_COUNT' },
      );
  },
  async execute(tx, proposal, { memberIds }) {
    const { epoch, changed } = await beginEpoch(tx, await currentEpoch(tx), { innerIds: memberIds }, proposal.id);
    return { changed, details: { members: memberIds.length, epoch: epoch.number } };
  },
};

export const transitionToQuorumMode: Action<Payload> = {
  async check(tx) {
    const { mode, memberIds, threshold } = await currentEpoch(tx);
    if (mode !== 'bootstrap')
      throw new Problem('conflict', 'QUORUM_MODE_LEFT', 'The quorum has left bootstrap mode already.');
    if (memberIds.length < threshold)
      throw new Problem(
        'invalid',
        'INVALID_MEMBER_COUNT',
        `The threshold is ${threshold}, and the quorum has ${memberIds.length} members. Add members first.`,
      );
  },
  async execute(tx, proposal) {
    const mode = (await countHoldersChanged(tx)) > 0 ? 'transition_in_progress' : 'quorum';
    const { epoch, changed } = await beginEpoch(tx, await currentEpoch(tx), { mode }, proposal.id);
    return { changed, details: { mode, epoch: epoch.number } };
  },
};
