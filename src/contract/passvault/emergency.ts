import * as v from 'valibot';
import { operation } from '../operation.ts';
import { memberId, timestamp } from '../text.ts';
import { vaultId } from './entry.ts';

const root = '/api/passvault/vaults/:vaultId';

/** What became of emergency access where something made all shares of before worthless. */
export const emergencyChange = v.pipe(
  v.object({
    state: v.pipe(
      v.picklist(['renewed', 'ended']),
      v.description(
        '`renewed`: each trustee has a new share to read, the ones of before open nothing. ' +
          '`ended`: too few trustees are left; configure it again',
      ),
    ),
    epoch: v.number(),
    threshold: v.number(),
    trustees: v.array(memberId),
  }),
  v.description('only where emergency access was configured'),
);
export type EmergencyChange = v.InferOutput<typeof emergencyChange>;

const trustee = v.object({
  memberId,
  username: v.string(),
  active: v.pipe(v.boolean(), v.description('whether their share counts: those of suspended members do not')),
  readAt: v.optional(
    v.pipe(timestamp, v.description('when they first read their present share; missing while they did not')),
  ),
});

const done = v.object({ memberId, username: v.string(), recoveredAt: timestamp });
const requested = v.object({ memberId, username: v.string(), requestedAt: timestamp, endsAt: timestamp });

const emergencyAccess = v.object({
  configured: v.boolean(),
  epoch: v.pipe(v.number(), v.description('counts the configurations, from 1; 0 where there never was one')),
  threshold: v.optional(v.pipe(v.number(), v.description('how many shares a recovery takes'))),
  trustees: v.array(trustee),
  waitSeconds: v.pipe(v.number(), v.description('how long a recovery by others can be denied; 0: not at all')),
  requests: v.pipe(v.array(requested), v.description('recoveries that can be denied until `endsAt`')),
  recoveries: v.pipe(v.array(done), v.description('that the owner has not taken note of')),
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
    summary: 'Show the trustees of a vault, who asks to recover it and who did; for its owner',
    description: 'With how many shares a recovery takes, and how long one waits before it counts.',
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
    summary: 'Deny all requests to recover a vault, as its owner',
    description:
      'Where the vault is open in this session, its trustees get new shares as well, and those that were handed over are worthless. ' +
      'Where it is closed, who asked can ask again.',
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
    summary: 'Take note of what happened to a vault, as its owner: it is no longer told',
    description: 'A request to recover the vault stays until it is denied, granted or over.',
    input: v.object({ vaultId }),
    reply: v.object({ dismissed: v.number() }),
    status: 200,
    message: 'Notices dismissed',
    errors: ['VAULT_NOT_FOUND'],
  }),
};
