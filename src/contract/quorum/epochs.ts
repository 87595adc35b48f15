import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { integer, memberId, recordId, timestamp } from '../text.ts';

const mode = v.picklist(['bootstrap', 'quorum', 'transition_in_progress']);

const epoch = v.object({
  epochNumber: v.number(),
  memberIds: v.pipe(
    v.array(memberId),
    v.description('to others than members and administrators only those who are members now'),
  ),
  threshold: v.number(),
  mode,
  createdAt: timestamp,
  previousEpochNumber: v.nullable(v.number()),
  innerQuorumMemberIds: v.array(memberId),
  proposalId: v.optional(v.pipe(recordId, v.description('the proposal that began it'))),
});
export type QuorumEpoch = v.InferOutput<typeof epoch>;

const status = v.object({
  mode,
  epochNumber: v.pipe(v.number(), v.description('0 before the first member')),
  memberCount: v.number(),
  threshold: v.number(),
  innerQuorumMemberIds: v.array(memberId),
  memberId: v.optional(v.pipe(memberId, v.description('the member of the quorum that the caller is'))),
  nodeId: v.pipe(v.string(), v.description('of this node; votes and links are signed over it')),
  unverifiedLinks: v.optional(
    v.pipe(
      v.array(v.object({ memberId, name: v.string(), accountId: memberId })),
      v.description(
        'members whose account was linked by an e-mail address that nobody verified, before that was needed. Their votes count. An ' +
          'administrator confirms the address, or the member links the account by a signature; only for members and administrators',
      ),
    ),
  ),
  holdersChanged: v.optional(
    v.pipe(
      v.number(),
      v.description('documents whose holders are not all members any more; only for members and administrators'),
    ),
  ),
});
export type QuorumStatus = v.InferOutput<typeof status>;

export const quorumEpochs = {
  status: operation({
    id: 'quorum.status',
    method: 'GET',
    path: '/api/quorum/status',
    envelope: 'quorum',
    auth: 'member',
    summary: 'Show the mode, the epoch and the threshold of the quorum',
    description:
      'In `bootstrap` mode administrators add and remove members; in `quorum` mode proposals do. With `memberId` if the caller is a member.',
    input: v.object({}),
    reply: v.object({ status }),
    status: 200,
    message: 'Status',
    errors: [],
  }),
  showEpoch: operation({
    id: 'quorum.show-epoch',
    method: 'GET',
    path: '/api/quorum/epochs/:number',
    envelope: 'quorum',
    auth: 'member',
    summary: 'Show an epoch: the membership from one change to the next',
    description:
      'Each change of members, threshold, inner quorum or mode begins the next epoch. Epochs are never changed.',
    input: v.object({ number: integer(1, Number.MAX_SAFE_INTEGER) }),
    reply: v.object({ epoch }),
    status: 200,
    message: 'Epoch',
    errors: ['EPOCH_NOT_FOUND'],
  }),
  listEpochs: operation({
    id: 'quorum.list-epochs',
    method: 'GET',
    path: '/api/quorum/epochs',
    envelope: 'quorum',
    auth: 'member',
    summary: 'List the epochs, newest first',
    description:
      'Each change of members, threshold, inner quorum or mode begins the next epoch. Epochs are never changed.',
    ...paged({ name: 'epochs', of: epoch }),
    status: 200,
    message: 'Epochs',
  }),
};
