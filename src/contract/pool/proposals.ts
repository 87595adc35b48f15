import * as v from 'valibot';
import { operation } from '../operation.ts';
import { pagedOrWhole } from '../page.ts';
import { hex } from '../text.ts';
import { administrators, needsList } from './fields.ts';
import { proposal } from './shapes.ts';

/** Changes of the access list that wait for the signatures of further administrators. */
export const proposals = {
  aclProposals: operation({
    id: 'pool.acl-proposals',
    method: 'GET',
    path: '/api/admin/pool/acl/proposals',
    envelope: 'account',
    auth: administrators,
    summary: 'List the proposed access lists that need more signatures, oldest first',
    description: 'Each with the complete list that it proposes. They expire after 7 days.',
    ...pagedOrWhole({ name: 'proposals', of: proposal, errors: [...needsList] }),
    status: 200,
    message: 'Proposals',
  }),
  signAcl: operation({
    id: 'pool.sign-acl',
    method: 'POST',
    path: '/api/admin/pool/sign-acl',
    envelope: 'account',
    auth: administrators,
    summary: 'Sign a proposed access list',
    description: 'With enough signatures it becomes the active list. Signing it again changes nothing.',
    input: v.object({ hash: v.pipe(hex(32), v.description('hash of the proposed list')) }),
    reply: v.object({
      hash: v.string(),
      signatures: v.number(),
      threshold: v.number(),
      active: v.pipe(v.boolean(), v.description('whether it is the active list now')),
      aclVersion: v.pipe(v.number(), v.description('version of the active list')),
    }),
    status: 200,
    message: 'Signed',
    errors: [
      'POOL_PROPOSAL_NOT_FOUND',
      'POOL_PROPOSAL_STALE',
      'POOL_PROPOSAL_EXPIRED',
      'KEY_LOCKED',
      ...needsList,
      'POOL_NOT_ADMINISTRATOR',
      'POOL_BUSY',
    ],
  }),
};
