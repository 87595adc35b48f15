import * as v from 'valibot';
import { operation } from '../operation.ts';
import { admin, fingerprint, join, mode, scope, self } from './shapes.ts';
import { hex, line, paragraph, timestamp } from '../text.ts';
import { administrators, mailDomain } from './fields.ts';
import { poolLimits } from './limits.ts';

/** How this node stands to a pool, and what it asks of one. */
export const membership = {
  status: operation({
    id: 'pool.status',
    method: 'GET',
    path: '/api/admin/pool/status',
    envelope: 'account',
    auth: administrators,
    summary: 'How this node stands to its pool',
    description: 'Its own id and fingerprint, the pool that it follows, and its request to join another one.',
    input: v.object({}),
    reply: v.object({
      node: self,
      pool: v.object({
        poolId: v.string(),
        fingerprint,
        version: v.number(),
        hash: v.string(),
        mode,
        scope,
        writers: v.number(),
        admins: v.array(admin),
        threshold: v.number(),
        issuedAt: timestamp,
        membership: v.picklist(['member', 'expired', 'removed']),
      }),
      connected: v.number(),
      pending: v.number(),
      evidence: v.pipe(v.number(), v.description('lists that contradict one that counts; see the history')),
      join: v.optional(join),
    }),
    status: 200,
    message: 'Pool',
    errors: [],
  }),
  join: operation({
    id: 'pool.join',
    method: 'POST',
    path: '/api/admin/pool/join',
    envelope: 'account',
    auth: administrators,
    summary: 'Ask to join the pool of another node',
    description:
      'The request goes on in the background, also after a restart, until somebody decides or 7 days are over.',
    input: v.object({
      address: v.pipe(
        line(poolLimits.address),
        v.description('where the other node is reached: host:port or a multiaddr'),
      ),
      message: v.optional(v.pipe(paragraph(poolLimits.message), v.description('for the administrator who decides'))),
      mailDomain: v.optional(mailDomain),
      poolId: v.optional(
        v.pipe(hex(32), v.description('the pool that is meant; any that the other node is in without it')),
      ),
    }),
    reply: v.object({ node: self, join }),
    status: 200,
    message: 'Asked to join',
    errors: ['POOL_JOIN_PENDING', 'POOL_HAS_MEMBERS'],
  }),
  withdraw: operation({
    id: 'pool.withdraw',
    method: 'DELETE',
    path: '/api/admin/pool/join',
    envelope: 'account',
    auth: administrators,
    summary: 'Take back the request to join',
    description: 'The other node is told, where it can be reached.',
    input: v.object({}),
    reply: v.object({ join }),
    status: 200,
    message: 'Request withdrawn',
    errors: ['POOL_NO_JOIN'],
  }),
  leave: operation({
    id: 'pool.leave',
    method: 'POST',
    path: '/api/admin/pool/leave',
    envelope: 'account',
    auth: administrators,
    summary: 'Stop following the pool; this node then has one of its own',
    description: 'The new pool has this node and nobody else.',
    input: v.object({
      poolId: v.pipe(hex(32), v.description('the pool that is left, so that nobody leaves by mistake')),
    }),
    reply: v.object({ left: v.string(), poolId: v.string() }),
    status: 200,
    message: 'Pool left',
    errors: ['POOL_OTHER', 'POOL_ALONE'],
  }),
};
