import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { node, tombstone } from './shapes.ts';
import { administrators, ban, cannotSign, changedNode, expiresAt, mailDomain, needsList, nodeId } from './fields.ts';

/** The nodes of the pool. */
export const nodes = {
  nodes: operation({
    id: 'pool.nodes',
    method: 'GET',
    path: '/api/admin/pool/nodes',
    envelope: 'account',
    auth: administrators,
    summary: 'List the nodes of the pool, in the order of their ids',
    description:
      'As in the access list, and whether this node is connected to them. Nodes that were refused are listed apart.',
    ...paged({
      name: 'nodes',
      of: node,
      errors: [...needsList],
      more: {
        refused: v.optional(
          v.pipe(
            v.array(tombstone),
            v.description(
              'nodes that were removed, denied or banned, in the order of their ids; on the first page only',
            ),
          ),
        ),
      },
    }),
    status: 200,
    message: 'Nodes',
  }),
  showNode: operation({
    id: 'pool.show-node',
    method: 'GET',
    path: '/api/admin/pool/nodes/:nodeId',
    envelope: 'account',
    auth: administrators,
    summary: 'Show a node: a member of the pool, a former or refused one, or one that asks to join',
    description: 'By its id, or by a beginning of the id that no other node has.',
    input: v.object({
      nodeId: v.pipe(
        v.string(),
        v.regex(/^[0-9a-fA-F]{1,40}$/, 'must be 1 to 40 hex digits'),
        v.toLowerCase(),
        v.description('id of a node, or its beginning'),
      ),
    }),
    reply: v.object({ node }),
    status: 200,
    message: 'Node',
    errors: ['NODE_NOT_FOUND', 'NODE_AMBIGUOUS', ...needsList],
  }),
  updateNode: operation({
    id: 'pool.update-node',
    method: 'POST',
    path: '/api/admin/pool/update-node',
    envelope: 'account',
    auth: administrators,
    summary: 'Change when the admission of a node expires, or its mail domain',
    description: 'Creates the next version of the access list.',
    input: v.object({
      nodeId,
      expiresAt: v.optional(v.nullable(expiresAt)),
      mailDomain: v.optional(v.nullable(mailDomain)),
    }),
    reply: changedNode,
    status: 200,
    message: 'Node updated',
    errors: ['NODE_NOT_FOUND', 'POOL_MAIL_DOMAIN_TAKEN', ...cannotSign],
  }),
  removeNode: operation({
    id: 'pool.remove-node',
    method: 'POST',
    path: '/api/admin/pool/remove-node',
    envelope: 'account',
    auth: administrators,
    summary: 'Remove a node from the pool',
    description:
      'The other nodes refuse it as soon as they have the new access list. The list remembers the removal: in mode `open`, an administrator decides on the next request of the node. With `ban`, a node that was removed or denied earlier can be banned as well.',
    input: v.object({ nodeId, ban: v.optional(ban) }),
    reply: changedNode,
    status: 200,
    message: 'Node removed',
    errors: ['NODE_NOT_FOUND', 'POOL_SELF_REMOVAL', 'POOL_FULL', ...cannotSign],
  }),
  unbanNode: operation({
    id: 'pool.unban-node',
    method: 'POST',
    path: '/api/admin/pool/unban-node',
    envelope: 'account',
    auth: administrators,
    summary: 'Lift the ban of a node',
    description: 'The node may ask to join again, as any other.',
    input: v.object({ nodeId }),
    reply: changedNode,
    status: 200,
    message: 'Ban lifted',
    errors: ['NODE_NOT_BANNED', ...cannotSign],
  }),
};
