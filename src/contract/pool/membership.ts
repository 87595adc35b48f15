import * as v from 'valibot';
import { notice, stop } from '../ledger.ts';
import { operation } from '../operation.ts';
import { admin, decision, fingerprint, fork, join, mode, scope, self } from './shapes.ts';
import { hex, line, paragraph, secretText, timestamp } from '../text.ts';
import { administrators, mailDomain, needsList } from './fields.ts';
import { poolLimits } from './limits.ts';

/** Operations on this node's own membership: its status in a pool, and its join requests. */
export const membership = {
  status: operation({
    id: 'pool.status',
    method: 'GET',
    path: '/api/admin/pool/status',
    envelope: 'account',
    auth: administrators,
    summary: 'Show the pool of this node',
    description: 'With the id and the fingerprint of the node, and its join request to another pool.',
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
      silent: v.pipe(
        v.number(),
        v.description(
          'how many of the connected nodes left the last ping without an answer; after three, they are dialled again',
        ),
      ),
      wrongClocks: v.pipe(
        v.array(v.object({ nodeId: v.string(), aheadMs: v.number() })),
        v.description(
          'connected nodes whose clock differs from ours by more than a minute; negative: theirs is behind',
        ),
      ),
      pending: v.number(),
      evidence: v.pipe(v.number(), v.description('number of lists that contradict an active one; see the history')),
      evidenceNotKept: v.optional(
        v.pipe(
          v.object({ lists: v.number(), fromVersion: v.number(), toVersion: v.number() }),
          v.description('contradicting lists that were not kept, because there were too many'),
        ),
      ),
      forks: v.pipe(v.array(fork), v.description('the newest forks of the access list; at most 20')),
      unsigned: v.pipe(
        v.array(decision),
        v.description('decisions of other branches on which this node acts until an administrator signs a version'),
      ),
      setAside: v.pipe(
        v.array(decision),
        v.description('decisions of removed administrators that were not taken over; people have to decide'),
      ),
      join: v.optional(join),
      stopped: v.pipe(v.array(stop), v.description('why the node signs nothing; empty: it signs')),
      contradictions: v.pipe(
        v.number(),
        v.description('contradictions in ledgers of other nodes that this node keeps'),
      ),
      noticed: v.pipe(v.array(notice), v.description('what this node noticed about ledgers of other nodes')),
    }),
    status: 200,
    message: 'Pool',
    errors: [...needsList],
  }),
  join: operation({
    id: 'pool.join',
    method: 'POST',
    path: '/api/admin/pool/join',
    envelope: 'account',
    auth: administrators,
    summary: 'Ask to join the pool of another node',
    description:
      'The node repeats the request in the background, also after a restart, until an administrator decides, or for 7 days.',
    input: v.object({
      address: v.pipe(line(poolLimits.address), v.description('address of the other node: host:port or a multiaddr')),
      message: v.optional(
        v.pipe(paragraph(poolLimits.message), v.description('message to the administrator who decides')),
      ),
      mailDomain: v.optional(mailDomain),
      token: v.optional(
        v.pipe(
          secretText(poolLimits.token),
          v.description('join token; the node that made it admits this one at once'),
        ),
      ),
      poolId: v.optional(v.pipe(hex(32), v.description('id of the pool; without it, the pool of the other node'))),
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
    summary: 'Withdraw the join request',
    description: 'The other node is told if it can be reached.',
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
    summary: 'Leave the pool; this node then has a pool of its own',
    description: 'The new pool has only this node.',
    input: v.object({
      poolId: v.pipe(hex(32), v.description('id of the pool to leave, as a confirmation')),
    }),
    reply: v.object({ left: v.string(), poolId: v.string() }),
    status: 200,
    message: 'Pool left',
    errors: ['POOL_OTHER', 'POOL_ALONE', ...needsList],
  }),
};
