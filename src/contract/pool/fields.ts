import * as v from 'valibot';
import { line, timestamp } from '../text.ts';

/** Fields that several operations on the pool share. */

export const administrators = { any: ['Admin', 'System'] } as const;
export const nodeId = v.pipe(line(128), v.description('id of a node'));
export const expiresAt = v.pipe(timestamp, v.description('when the admission expires'));
export const mailDomain = v.pipe(line(253), v.toLowerCase(), v.description('domain whose mail the node serves'));
export const ban = v.pipe(v.boolean(), v.description('ban the node: its requests are refused until the ban is lifted'));
export const changedNode = v.object({ nodeId: v.string(), aclVersion: v.number() });

/** Error codes of operations that need the access list: a node without one signs its first. */
export const needsList = ['NODE_STOPPED'] as const;

/** Error codes of operations that need an administrator's signature. */
export const cannotSign = [
  'KEY_LOCKED',
  'NODE_STOPPED',
  'POOL_NOT_ADMINISTRATOR',
  'POOL_SIGNATURES_MISSING',
  'POOL_PROPOSALS_FULL',
  'POOL_BUSY',
] as const;
