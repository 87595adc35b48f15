import { topics } from '../../src/contract/all.ts';
import type { Operation } from '../../src/contract/operation.ts';

/** Operations that give rights, and what they have to ask. `granted-rights.test.ts` holds the contract to it. */

/** Every operation that gives somebody a right, a key or a vote, by what it gives. None of them may be reached with an app password. */
export const granting: Readonly<Record<string, readonly string[]>> = {
  share: ['filevault.share', 'filevault.add-keys', 'passvault.share'],
  link: ['filevault.create-link'],
  'access list': ['filevault.put-acl', 'filevault.create-permission-set', 'pool.update-acl', 'pool.sign-acl'],
  branch: ['pool.adopt-branch'],
  approval: ['filevault.request-approval', 'filevault.approve', 'filevault.reject', 'filevault.cancel-approval'],
  canary: ['filevault.create-canary', 'filevault.change-canary', 'filevault.check-in'],
  release: ['filevault.release-quarantined'],
  trustee: ['passvault.configure-emergency-access', 'passvault.emergency-recover'],
  'role or account': ['members.promote', 'members.confirm-email', 'members.restore', 'account.change-password'],
  'app password': ['account.create-app-password', 'chat.create-bot'],
  codes: ['account.create-backup-codes', 'account.replace-backup-codes'],
  'node or token': ['pool.approve-node', 'pool.unban-node', 'pool.create-token', 'pool.join'],
  quorum: [
    'quorum.add-member',
    'quorum.link-member',
    'quorum.seal',
    'quorum.open-session',
    'quorum.contribute',
    'quorum.begin-reshare',
    'quorum.create-proposal',
    'quorum.cast-vote',
  ],
  hub: [
    'social.create-hub',
    'social.update-hub',
    'social.transfer-hub',
    'social.join-hub',
    'social.add-hub-members',
    'social.add-moderator',
    'social.unban-member',
  ],
  conversation: [
    'chat.direct-begin-epoch',
    'chat.promote',
    'chat.create-group',
    'chat.group-add-members',
    'chat.group-begin-epoch',
    'chat.group-set-role',
    'chat.group-create-webhook',
    'chat.group-unban',
    'chat.group-unmute',
    'chat.create-channel',
    'chat.update-channel',
    'chat.join-channel',
    'chat.create-invite',
    'chat.redeem-invite',
    'chat.channel-add-members',
    'chat.channel-begin-epoch',
    'chat.channel-set-role',
    'chat.channel-create-webhook',
    'chat.channel-unban',
    'chat.channel-unmute',
    'social.begin-conversation',
    'social.add-participants',
    'social.accept-message-request',
  ],
  follower: ['social.approve-follow-request', 'social.unblock', 'social.update-profile'],
  'list of readers': ['social.add-to-category'],
  listener: ['notifications.add-push-subscription', 'realtime.create-ticket'],
};

/** What programs may do with an app password that changes something: it ends, or stays within what the scope names. */
export const withinScope = [
  'social.delete-message',
  'social.edit-message',
  'social.forward-message',
  'social.react-to-message',
  'social.read-conversation',
  'social.send-message',
  'social.type-in-conversation',
  'social.unreact-to-message',
  'chat.change-scheduled',
  'chat.channel-delete-draft',
  'chat.channel-delete-message',
  'chat.channel-edit-message',
  'chat.channel-pin',
  'chat.channel-react',
  'chat.channel-read',
  'chat.channel-save-draft',
  'chat.channel-schedule',
  'chat.channel-typing',
  'chat.channel-unpin',
  'chat.channel-unreact',
  'chat.delete-attachment',
  'chat.direct-delete-draft',
  'chat.direct-delete-message',
  'chat.direct-edit-message',
  'chat.direct-pin',
  'chat.direct-react',
  'chat.direct-read',
  'chat.direct-save-draft',
  'chat.direct-schedule',
  'chat.direct-typing',
  'chat.direct-unpin',
  'chat.direct-unreact',
  'chat.group-delete-draft',
  'chat.group-delete-message',
  'chat.group-edit-message',
  'chat.group-pin',
  'chat.group-react',
  'chat.group-read',
  'chat.group-save-draft',
  'chat.group-schedule',
  'chat.group-typing',
  'chat.group-unpin',
  'chat.group-unreact',
  'chat.remove-scheduled',
  'chat.send-direct',
  'chat.send-to-channel',
  'chat.send-to-group',
  'chat.upload-attachment',
  'filevault.abort-upload',
  'filevault.begin-upload',
  'filevault.change-file',
  'filevault.check-container',
  'filevault.create-container',
  'filevault.create-folder',
  'filevault.finalize-upload',
  'filevault.lock-container',
  'filevault.put-chunk',
  'filevault.put-upload-key',
  'filevault.remove-file',
  'filevault.remove-folder',
  'filevault.rename-folder',
  'filevault.restore-version',
  'filevault.revoke-link',
  'filevault.revoke-share',
  'filevault.unlock-container',
  'mail.cancel',
  'mail.change',
  'mail.create-draft',
  'mail.forward',
  'mail.import',
  'mail.mark-read',
  'mail.mark-unread',
  'mail.remove',
  'mail.reply',
  'mail.send',
  'mail.send-draft',
  'mail.send-raw',
  'mail.update-draft',
  'mail.upload',
];

/** What bot tokens may do, by the right that it needs. They are refused everything else. */
export const botMay = {
  read: [
    'chat.attachment',
    'chat.channel-members',
    'chat.channel-message',
    'chat.channel-messages',
    'chat.channel-pins',
    'chat.direct-message',
    'chat.direct-messages',
    'chat.direct-pins',
    'chat.group-members',
    'chat.group-message',
    'chat.group-messages',
    'chat.group-pins',
    'chat.search',
    'chat.search-channel',
  ],
  write: [
    'chat.channel-delete-message',
    'chat.channel-edit-message',
    'chat.channel-react',
    'chat.channel-typing',
    'chat.channel-unreact',
    'chat.direct-delete-message',
    'chat.direct-edit-message',
    'chat.direct-react',
    'chat.direct-typing',
    'chat.direct-unreact',
    'chat.group-delete-message',
    'chat.group-edit-message',
    'chat.group-react',
    'chat.group-typing',
    'chat.group-unreact',
    'chat.send-direct',
    'chat.send-to-channel',
    'chat.send-to-group',
    'chat.upload-attachment',
  ],
} as const;

/** Those of them without a conversation in their path. They check by themselves which one it is about. */
export const botMayAnywhere = ['chat.attachment', 'chat.search', 'chat.send-direct', 'chat.upload-attachment'];

/** What asks inside, because only a part of it grants something. Each has a test of its own: here, and in approvals-passed. */
export const inPart = [
  'filevault.change-container',
  'filevault.move',
  'filevault.restore-file',
  'filevault.restore-folder',
  'mail.put-rules',
];

/** What needs approvals where a container asks for them: the answer without one, by what it is for. Each is executed in granted-columns. */
export const approvalNeeded: Readonly<Record<string, readonly string[]>> = {
  '403 APPROVAL_REQUIRED': [
    'filevault.share',
    'filevault.create-link',
    'filevault.put-acl',
    'filevault.change-container',
    'filevault.move',
    'filevault.restore-file',
    'filevault.restore-folder',
  ],
  '201 refused when it fires': ['filevault.create-canary'],
  '200 refused when it fires': ['filevault.change-canary'],
};

/** Why approvals mean nothing to the others. */
export const noApproval: Readonly<Record<string, readonly string[]>> = {
  'is one, or asks for one': granting.approval ?? [],
  'gives no right by itself': ['filevault.create-permission-set', 'filevault.check-in'],
  'for those in the lists': ['filevault.add-keys'],
  'no operation that approvals are for': ['filevault.release-quarantined'],
  'not of a container': [
    'passvault.share',
    'pool.update-acl',
    'pool.sign-acl',
    ...[
      'branch',
      'trustee',
      'role or account',
      'app password',
      'codes',
      'node or token',
      'hub',
      'conversation',
      'follower',
    ]
      .concat(['list of readers', 'listener'])
      .flatMap((kind) => granting[kind] ?? []),
    'mail.put-rules',
  ],
  'has votes': granting.quorum ?? [],
};

/** What needs the private key of the member, and is 403 KEY_LOCKED in a session without it. Each is executed in granted-columns. */
export const keyNeeded = [
  'account.create-backup-codes',
  'account.replace-backup-codes',
  'pool.approve-node',
  'pool.unban-node',
  'pool.update-acl',
  'pool.sign-acl',
  'pool.create-token',
  'quorum.cast-vote',
];

export const operations: Operation[] = Object.values(topics).flatMap(({ contract }): Operation[] =>
  Object.values(contract),
);

export const pathOf = ({ path }: Operation) => path.replaceAll(/[:*]\w+/g, 'f'.repeat(24));

export const codeOf = (body: { readonly error?: unknown }) =>
  typeof body.error === 'string' ? body.error : (body.error as { code?: string } | undefined)?.code;
