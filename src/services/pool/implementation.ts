import type { pool } from '../../contract/pool.ts';
import { lazily } from '../../service-parts.ts';

export const poolImplementation = lazily<typeof pool>({
  pendingNodes: () => import('./nodes.ts'),
  approveNode: () => import('./joining/decisions.ts'),
  denyNode: () => import('./joining/decisions.ts'),
  status: async () => ({ status: (await import('./pool-status.ts')).poolStatus }),
  nodes: async () => ({ nodes: (await import('./nodes.ts')).listNodes }),
  showNode: () => import('./nodes.ts'),
  updateNode: () => import('./acl/update.ts'),
  removeNode: () => import('./acl/update.ts'),
  acl: async () => ({ acl: (await import('./acl/history.ts')).showList }),
  updateAcl: () => import('./acl/update.ts'),
  aclHistory: async () => ({ aclHistory: (await import('./acl/history.ts')).listHistory }),
  aclEvidence: async () => ({ aclEvidence: (await import('./acl/history.ts')).listEvidence }),
  verifyAcl: async () => ({ verifyAcl: (await import('./acl/verify.ts')).verifyLists }),
  join: () => import('./joining/joining.ts'),
  withdraw: () => import('./joining/joining.ts'),
  leave: () => import('./joining/joining.ts'),
});
