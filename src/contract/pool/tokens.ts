import * as v from 'valibot';
import { operation } from '../operation.ts';
import { pagedOrWhole } from '../page.ts';
import { hex, integer, timestamp } from '../text.ts';
import { administrators, needsList } from './fields.ts';
import { poolLimits } from './limits.ts';
import { joinToken } from './shapes.ts';

/** Join tokens: they admit machines whose fingerprints nobody compares. */
export const tokens = {
  createToken: operation({
    id: 'pool.create-token',
    method: 'POST',
    path: '/api/admin/pool/tokens',
    envelope: 'account',
    auth: administrators,
    summary: 'Make a join token',
    description:
      'A node that has it is admitted without a decision, by this node alone. The token is a secret, and only this reply contains it.',
    input: v.object({
      expiresAt: v.pipe(
        timestamp,
        v.description(`when the token expires; at most ${poolLimits.tokenDays} days from now`),
      ),
      uses: v.optional(v.pipe(integer(1, poolLimits.tokenUses), v.description('how many nodes it admits')), 1),
      admittedUntil: v.optional(v.pipe(timestamp, v.description('when the admissions by it expire'))),
    }),
    reply: v.object({ token: v.pipe(v.string(), v.metadata({ secret: true })), joinToken }),
    status: 201,
    message: 'Join token made',
    secretReply: true,
    errors: ['POOL_TOKENS_IMPOSSIBLE', 'POOL_TOKENS_FULL', 'KEY_LOCKED', 'NODE_STOPPED', 'POOL_NOT_ADMINISTRATOR'],
  }),
  listTokens: operation({
    id: 'pool.tokens',
    method: 'GET',
    path: '/api/admin/pool/tokens',
    envelope: 'account',
    auth: administrators,
    summary: 'List the join tokens of this node, newest first',
    description: 'Without their secrets. A token is listed on the node that made it, until 30 days after its end.',
    ...pagedOrWhole({ name: 'joinTokens', of: joinToken, errors: [...needsList] }),
    status: 200,
    message: 'Join tokens',
  }),
  revokeToken: operation({
    id: 'pool.revoke-token',
    method: 'DELETE',
    path: '/api/admin/pool/tokens/:id',
    envelope: 'account',
    auth: administrators,
    summary: 'Revoke a join token',
    description: 'Nodes that it admitted stay in the pool.',
    input: v.object({ id: v.pipe(hex(8), v.description('id of the token')) }),
    reply: v.object({ id: v.string() }),
    status: 200,
    message: 'Join token revoked',
    errors: ['POOL_TOKEN_NOT_FOUND'],
  }),
};
