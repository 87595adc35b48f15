import * as v from 'valibot';
import { operation } from '../operation.ts';
import { branchPreview, evidence, list, listSummary, mode } from './shapes.ts';
import { paged, pagedOrWhole } from '../page.ts';
import { hex, integer, memberId } from '../text.ts';
import { administrators, cannotSign, needsList } from './fields.ts';
import { poolLimits } from './limits.ts';

const changed = v.object({ aclVersion: v.number() });

/** Operations on the signed list of the nodes and administrators of the pool. */
export const accessList = {
  acl: operation({
    id: 'pool.acl',
    method: 'GET',
    path: '/api/admin/pool/acl',
    envelope: 'account',
    auth: administrators,
    summary: 'Show the access list, or an earlier version of it',
    description: 'With the document exactly as it was signed, and the signatures.',
    input: v.object({ version: v.optional(integer(1, 2 ** 40)) }),
    reply: list,
    status: 200,
    message: 'Access list',
    errors: ['POOL_VERSION_NOT_FOUND', ...needsList],
  }),
  updateAcl: operation({
    id: 'pool.update-acl',
    method: 'POST',
    path: '/api/admin/pool/acl',
    envelope: 'account',
    auth: administrators,
    summary: 'Change who may join the pool, or who administers it',
    description:
      'Creates the next version of the list, signed with the key of the caller. If more administrators must sign, the change becomes a proposal.',
    input: v.object({
      mode: v.optional(
        v.pipe(
          mode,
          v.description(
            'approval: an administrator decides; open: every node that asks is admitted; closed: no node may ask',
          ),
        ),
      ),
      addAdmins: v.optional(
        v.pipe(
          v.array(memberId),
          v.maxLength(poolLimits.administrators),
          v.description('ids of administrators of this node'),
        ),
      ),
      addKeys: v.optional(
        v.pipe(
          v.array(hex(33)),
          v.maxLength(poolLimits.administrators),
          v.description('public keys of administrators of other nodes'),
        ),
      ),
      removeAdmins: v.optional(
        v.pipe(v.array(memberId), v.maxLength(poolLimits.administrators), v.description('ids of administrators')),
      ),
      threshold: v.optional(
        v.pipe(integer(1, poolLimits.administrators), v.description('how many administrators must sign a change')),
      ),
    }),
    reply: changed,
    status: 200,
    message: 'Access list updated',
    errors: ['MEMBER_NOT_FOUND', 'POOL_LAST_ADMINISTRATOR', 'POOL_FULL', ...cannotSign],
  }),
  aclHistory: operation({
    id: 'pool.acl-history',
    method: 'GET',
    path: '/api/admin/pool/acl/history',
    envelope: 'account',
    auth: administrators,
    summary: 'List the versions of the access list, newest first',
    description: 'Each version has the hash of the previous one, so no version can be removed.',
    ...paged({ name: 'versions', of: listSummary, errors: [...needsList] }),
    status: 200,
    message: 'Versions',
  }),
  aclEvidence: operation({
    id: 'pool.acl-evidence',
    method: 'GET',
    path: '/api/admin/pool/acl/evidence',
    envelope: 'account',
    auth: administrators,
    summary: 'List the signed versions that contradict an active one',
    description: 'Two signed lists of a version mean that one administrator signed both, or two signed one list each.',
    ...pagedOrWhole({ name: 'evidence', of: evidence, errors: [...needsList] }),
    status: 200,
    message: 'Evidence',
  }),
  previewBranch: operation({
    id: 'pool.preview-branch',
    method: 'GET',
    path: '/api/admin/pool/acl/branch',
    envelope: 'account',
    auth: administrators,
    summary: 'Show what following another branch of the access list would drop',
    description: 'Compares the active list with a branch that this node knows and does not follow.',
    input: v.object({ hash: v.pipe(hex(32), v.description('hash of a list of the branch')) }),
    reply: branchPreview,
    status: 200,
    message: 'Branch',
    errors: ['POOL_BRANCH_NOT_FOUND', ...needsList],
  }),
  adoptBranch: operation({
    id: 'pool.adopt-branch',
    method: 'POST',
    path: '/api/admin/pool/acl/branch',
    envelope: 'account',
    auth: administrators,
    summary: 'Make this node follow another branch of the access list',
    description:
      'Decides a fork against the rule, for this node only. The branch that was followed is kept as evidence.',
    input: v.object({
      hash: v.pipe(hex(32), v.description('hash of a list of the branch')),
      instead: v.pipe(hex(32), v.description('hash of the list that is active now')),
    }),
    reply: v.object({ aclVersion: v.number(), hash: v.string() }),
    status: 200,
    message: 'Branch adopted',
    errors: ['POOL_BRANCH_NOT_FOUND', 'POOL_LIST_CHANGED', ...needsList],
  }),
  verifyAcl: operation({
    id: 'pool.verify-acl',
    method: 'GET',
    path: '/api/admin/pool/acl/verify',
    envelope: 'account',
    auth: administrators,
    summary: 'Verify every version of the access list',
    description: 'Checks signatures, hashes and the chain of versions, as any other node does.',
    input: v.object({}),
    reply: v.object({
      valid: v.boolean(),
      versions: v.number(),
      checks: v.array(v.object({ name: v.string(), ok: v.boolean(), detail: v.string() })),
    }),
    status: 200,
    message: 'Verified',
    errors: [...needsList],
  }),
};
