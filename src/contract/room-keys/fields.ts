import * as v from 'valibot';
import { integer, timestamp } from '../text.ts';
import { roomKeyLimits } from './limits.ts';

/** Why a room got a new key. */
const rotationReasons = [
  'created',
  'member_added',
  'member_left',
  'member_removed',
  'member_banned',
  'account_removed',
  'history_changed',
  'requested',
  'restored',
  'daily',
] as const;
export type RotationReason = (typeof rotationReasons)[number];

const epochNumber = v.pipe(v.number(), v.integer());

/** What members hear of a new key. Each of them reads their own wrap. */
export const keyRotation = {
  epoch: v.pipe(epochNumber, v.description('the new epoch')),
  reason: v.picklist(rotationReasons),
};

/** Fields of `GET …/:id/keys`, beside those in its path. */
export const ownKeysInput = {
  sinceEpoch: v.optional(
    v.pipe(integer(0, Number.MAX_SAFE_INTEGER), v.description('only keys of epochs after this one')),
    0,
  ),
  limit: v.optional(
    v.pipe(integer(1, roomKeyLimits.page), v.description('largest number of keys in the answer')),
    roomKeyLimits.page,
  ),
};

const ownKey = v.object({
  epoch: epochNumber,
  keyId: v.pipe(v.string(), v.description('32 hex digits, part of the context of the wrap')),
  wrapped: v.pipe(v.string(), v.description('the key, encrypted with ECIES to your public key; hex')),
  reason: v.picklist(rotationReasons),
  createdAt: timestamp,
});

export const ownKeysReply = {
  epoch: v.pipe(epochNumber, v.description('the current epoch')),
  keys: v.pipe(v.array(ownKey), v.description('your keys, the oldest first')),
  hasMore: v.pipe(
    v.boolean(),
    v.description('whether more follow; ask for those since the epoch of the last key in this answer'),
  ),
};
