import * as v from 'valibot';
import { operation } from '../operation.ts';
import { memberId, timestamp } from '../text.ts';
import { vaultId } from './entry.ts';

const root = '/api/passvault/vaults/:vaultId';

/** The state of emergency access after a change that made earlier shares invalid. */
export const emergencyChange = v.pipe(
  v.object({
    state: v.pipe(
      v.picklist(['renewed', 'ended']),
      v.description(
        '`renewed`: each trustee has a new share, and earlier shares do not work. ' +
          '`ended`: too few trustees are left. Configure emergency access again',
      ),
    ),
    epoch: v.number(),
    threshold: v.number(),
    trustees: v.array(memberId),
  }),
  v.description('only if emergency access was configured'),
);
export type EmergencyChange = v.InferOutput<typeof emergencyChange>;

const trustee = v.object({
  memberId,
  username: v.string(),
  active: v.pipe(v.boolean(), v.description('whether their share counts; shares of suspended members do not')),
  readAt: v.optional(v.pipe(timestamp, v.description('when they first read their current share; missing until then'))),
});

const done = v.object({ memberId, username: v.string(), recoveredAt: timestamp });
const requested = v.object({ memberId, username: v.string(), requestedAt: timestamp, endsAt: timestamp });

const emergencyAccess = v.object({
  configured: v.boolean(),
  epoch: v.pipe(v.number(), v.description('number of the configuration, from 1; 0 if there never was one')),
  threshold: v.optional(v.pipe(v.number(), v.description('number of shares that a recovery needs'))),
  trustees: v.array(trustee),
  waitSeconds: v.pipe(v.number(), v.description('how long the owner can deny a recovery by others; 0: not at all')),
  requests: v.pipe(v.array(requested), v.description('recoveries that can be denied until `endsAt`')),
  recoveries: v.pipe(v.array(done), v.description('that the owner has not dismissed')),
});
export type EmergencyAccess = v.InferOutput<typeof emergencyAccess>;

export const emergency = {
  showEmergencyAccess: operation({
    id: 'passvault.show-emergency-access',
    method: 'GET',
    path: `${root}/emergency-access`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Show the trustees, recovery requests and recoveries of a vault, as its owner',
    description: 'With the number of shares that a recovery needs, and its waiting period.',
    input: v.object({ vaultId }),
    reply: emergencyAccess,
    status: 200,
    message: 'Emergency access',
    errors: ['VAULT_NOT_FOUND'],
  }),
  denyEmergencyRecovery: operation({
    id: 'passvault.deny-emergency-recovery',
    method: 'POST',
    path: `${root}/emergency-deny`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Deny all recovery requests of a vault, as its owner',
    description:
      'If the vault is open in this session, its trustees get new shares, and shares that were handed over stop working. ' +
      'If it is locked, the trustees can ask again.',
    input: v.object({ vaultId }),
    reply: v.object({ denied: v.array(memberId), emergencyAccess: v.optional(emergencyChange) }),
    status: 200,
    message: 'Recovery denied',
    errors: ['VAULT_NOT_FOUND', 'RECOVERY_NOT_FOUND', 'OVERLOADED'],
  }),
  dismissNotices: operation({
    id: 'passvault.dismiss-notices',
    method: 'DELETE',
    path: `${root}/notices`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Dismiss the notices of a vault, as its owner',
    description: 'A recovery request stays until it is denied, granted or expired.',
    input: v.object({ vaultId }),
    reply: v.object({ dismissed: v.number() }),
    status: 200,
    message: 'Notices dismissed',
    errors: ['VAULT_NOT_FOUND'],
  }),
};
