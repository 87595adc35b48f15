import type { pool } from '../../contract/pool.ts';
import { lazily } from '../../service-parts.ts';

export const poolImplementation = lazily<typeof pool>({
  pendingNodes: () => import('./nodes.ts'),
  approveNode: () => import('./joining/decisions.ts'),
  denyNode: () => import('./joining/deny.ts'),
  status: async () => ({ status: (await import('./pool-status.ts')).poolStatus }),
  nodes: async () => ({ nodes: (await import('./nodes.ts')).listNodes }),
  showNode: () => import('./show-node.ts'),
  updateNode: () => import('./acl/update.ts'),
  removeNode: () => import('./acl/removal.ts'),
  unbanNode: () => import('./acl/removal.ts'),
  acl: async () => ({ acl: (await import('./acl/history.ts')).showList }),
  updateAcl: () => import('./acl/update.ts'),
  aclProposals: async () => ({ aclProposals: (await import('./acl/proposals.ts')).listProposals }),
  signAcl: () => import('./acl/proposals.ts'),
  aclHistory: async () => ({ aclHistory: (await import('./acl/history.ts')).listHistory }),
  aclEvidence: async () => ({ aclEvidence: (await import('./acl/history.ts')).listEvidence }),
  verifyAcl: async () => ({ verifyAcl: (await import('./acl/verify.ts')).verifyLists }),
  previewBranch: () => import('./acl/adoption.ts'),
  adoptBranch: () => import('./acl/adoption.ts'),
  createToken: () => import('./joining/tokens.ts'),
  listTokens: () => import('./joining/tokens.ts'),
  revokeToken: () => import('./joining/tokens.ts'),
  join: () => import('./joining/joining.ts'),
  withdraw: () => import('./joining/joining.ts'),
  leave: () => import('./joining/joining.ts'),
});
