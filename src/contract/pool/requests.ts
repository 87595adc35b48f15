import * as v from 'valibot';
import { operation } from '../operation.ts';
import { pagedOrWhole } from '../page.ts';
import { request } from './shapes.ts';
import { paragraph } from '../text.ts';
import { administrators, ban, cannotSign, changedNode, expiresAt, needsList, nodeId } from './fields.ts';
import { poolLimits } from './limits.ts';

/** Operations on join requests of nodes, and an administrator's decisions on them. */
export const requests = {
  pendingNodes: operation({
    id: 'pool.pending-nodes',
    method: 'GET',
    path: '/api/admin/pool/pending-nodes',
    envelope: 'account',
    auth: administrators,
    summary: 'List pending join requests, oldest first',
    description: 'With the fingerprint of each node. Compare it over a channel that both sides trust.',
    ...pagedOrWhole({
      name: 'pendingNodes',
      of: request,
      errors: [...needsList],
      more: { count: v.pipe(v.number(), v.description('number of all pending requests, not only of this page')) },
    }),
    status: 200,
    message: 'OK',
  }),
  approveNode: operation({
    id: 'pool.approve-node',
    method: 'POST',
    path: '/api/admin/pool/approve-node',
    envelope: 'account',
    auth: administrators,
    summary: 'Approve a join request',
    description:
      'Adds the node to the access list, signs the next version of the list, and sends it to the nodes of the pool.',
    input: v.object({ nodeId, expiresAt: v.optional(expiresAt) }),
    reply: changedNode,
    status: 200,
    message: 'Node approved',
    errors: ['NODE_NOT_PENDING', 'NODE_BANNED', 'POOL_MAIL_DOMAIN_TAKEN', 'POOL_FULL', ...cannotSign],
  }),
  denyNode: operation({
    id: 'pool.deny-node',
    method: 'POST',
    path: '/api/admin/pool/deny-node',
    envelope: 'account',
    auth: administrators,
    summary: 'Deny a join request',
    description:
      'The node gets the reason. It can ask again later, unless it is banned. The access list remembers the denial: in mode `open`, an administrator decides on its next request.',
    input: v.object({ nodeId, reason: v.optional(paragraph(poolLimits.reason)), ban: v.optional(ban) }),
    reply: v.object({
      nodeId: v.string(),
      aclVersion: v.optional(v.pipe(v.number(), v.description('missing if the list needs more signatures'))),
      proposal: v.optional(
        v.pipe(v.string(), v.description('hash of the proposed list that remembers the denial, or bans the node')),
      ),
    }),
    status: 200,
    message: 'Node denied',
    errors: ['NODE_NOT_PENDING', 'POOL_FULL', ...cannotSign],
  }),
};
