import { requests } from '../../contract/pool/requests.ts';
import { nodes } from '../../contract/pool/nodes.ts';
import { accessList } from '../../contract/pool/access-list.ts';
import { proposals } from '../../contract/pool/proposals.ts';
import { tokens } from '../../contract/pool/tokens.ts';
import { membership } from '../../contract/pool/membership.ts';
import { outbox } from '../../contract/pool/outbox.ts';
import { implement } from '../../service/implement.ts';

export const poolImplementation = {
  ...implement(
    requests,
    () => import('./nodes.ts'),
    () => import('./joining/decisions.ts'),
    () => import('./joining/deny.ts'),
  ),
  ...implement(
    nodes,
    () => import('./nodes.ts'),
    () => import('./show-node.ts'),
    () => import('./acl/update.ts'),
    () => import('./acl/removal.ts'),
  ),
  ...implement(
    accessList,
    () => import('./acl/history.ts'),
    () => import('./acl/update.ts'),
    () => import('./acl/adoption.ts'),
    () => import('./acl/verify.ts'),
  ),
  ...implement(proposals, () => import('./acl/proposals.ts')),
  ...implement(tokens, () => import('./joining/tokens.ts')),
  ...implement(
    membership,
    () => import('./pool-status.ts'),
    () => import('./joining/joining.ts'),
  ),
  ...implement(outbox, () => import('./outbox.ts')),
};
