import type { pool } from '../../contract/pool.ts';
import type { Implementation } from '../../service-parts.ts';

// Few requests are about the pool, and its checks load the curve: each service comes when it is first asked for.
export const poolServices: Implementation<typeof pool> = {
  pendingNodes: async (ctx, actor) => (await import('./nodes.ts')).pendingNodes(ctx, actor),
  approveNode: async (...call) => (await import('./joining/decisions.ts')).approveNode(...call),
  denyNode: async (...call) => (await import('./joining/decisions.ts')).denyNode(...call),
  status: async (ctx, actor) => (await import('./pool-status.ts')).poolStatus(ctx, actor),
  nodes: async (...call) => (await import('./nodes.ts')).listNodes(...call),
  showNode: async (...call) => (await import('./nodes.ts')).showNode(...call),
  updateNode: async (...call) => (await import('./acl/list-changes.ts')).updateNode(...call),
  removeNode: async (...call) => (await import('./acl/list-changes.ts')).removeNode(...call),
  acl: async (...call) => (await import('./acl/history.ts')).showList(...call),
  updateAcl: async (...call) => (await import('./acl/list-changes.ts')).updateAcl(...call),
  aclHistory: async (...call) => (await import('./acl/history.ts')).listHistory(...call),
  aclEvidence: async (ctx, actor) => (await import('./acl/history.ts')).listEvidence(ctx, actor),
  verifyAcl: async (ctx, actor) => (await import('./acl/verify.ts')).verifyLists(ctx, actor),
  join: async (...call) => (await import('./joining/joining.ts')).join(...call),
  withdraw: async (ctx, actor) => (await import('./joining/joining.ts')).withdraw(ctx, actor),
  leave: async (...call) => (await import('./joining/joining.ts')).leave(...call),
};
