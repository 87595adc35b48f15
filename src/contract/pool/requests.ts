import * as v from 'valibot';
import { operation } from '../operation.ts';
import { pagedOrWhole } from '../page.ts';
import { request } from './shapes.ts';
import { paragraph } from '../text.ts';
import { administrators, cannotSign, changedNode, expiresAt, nodeId } from './fields.ts';
import { poolLimits } from './limits.ts';

/** Nodes that ask to join, and what an administrator says to them. */
export const requests = {
  pendingNodes: operation({
    id: 'pool.pending-nodes',
    method: 'GET',
    path: '/api/admin/pool/pending-nodes',
    envelope: 'account',
    auth: administrators,
    summary: 'List the nodes that ask to join, oldest request first',
    description: 'With the fingerprint of each, to be compared over a way that both trust.',
    ...pagedOrWhole({
      name: 'pendingNodes',
      of: request,
      more: { count: v.pipe(v.number(), v.description('of all that ask, whatever is on this page')) },
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
    summary: 'Admit a node that asks to join',
    description: 'Adds it to the access list, signs the list as its next version, and tells the nodes of the pool.',
    input: v.object({ nodeId, expiresAt: v.optional(expiresAt) }),
    reply: changedNode,
    status: 200,
    message: 'Node approved',
    errors: ['NODE_NOT_PENDING', 'POOL_MAIL_DOMAIN_TAKEN', 'POOL_FULL', ...cannotSign],
  }),
  denyNode: operation({
    id: 'pool.deny-node',
    method: 'POST',
    path: '/api/admin/pool/deny-node',
    envelope: 'account',
    auth: administrators,
    summary: 'Deny a node that asks to join',
    description: 'It is told the reason. A later request is another question.',
    input: v.object({ nodeId, reason: v.optional(paragraph(poolLimits.reason)) }),
    reply: v.object({ nodeId: v.string() }),
    status: 200,
    message: 'Node denied',
    errors: ['NODE_NOT_PENDING', 'KEY_LOCKED', 'POOL_NOT_ADMINISTRATOR'],
  }),
};
