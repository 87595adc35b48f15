import { topics } from '../contract/all.ts';
import { realtime } from '../contract/realtime.ts';
import { ledgerImplementation } from '../platform/ledger/implementation.ts';
import { implement } from '../service/implement.ts';
import { service, type Parts, type Service } from '../service/service-parts.ts';
import { accountsImplementation, membersImplementation } from '../services/accounts/implementation.ts';
import { calendarImplementation } from '../services/calendar/implementation.ts';
import { contactsImplementation } from '../services/contacts/implementation.ts';
import { chatImplementation } from '../services/chat/implementation.ts';
import { chatSocketFrames, chatTopics } from '../services/chat/topics.ts';
import { filevaultImplementation } from '../services/filevault/implementation.ts';
import { mailImplementation } from '../services/mail/implementation.ts';
import { mailTopics } from '../services/mail/topics.ts';
import { nodeImplementation } from '../services/node/implementation.ts';
import { notificationsImplementation } from '../services/notifications/implementation.ts';
import { notificationFrames, notificationTopics } from '../services/notifications/topics.ts';
import { passvaultImplementation } from '../services/passvault/implementation.ts';
import { vaultTopics } from '../services/passvault/sharing/vault-topics.ts';
import { poolImplementation } from '../services/pool/implementation.ts';
import { quorumTopics } from '../services/quorum/events/topics.ts';
import { quorumImplementation } from '../services/quorum/implementation.ts';
import { hubFrames, hubTopics } from '../services/social/hubs/topics.ts';
import { socialNotifications } from '../services/social/notices.ts';
import { socialImplementation } from '../services/social/implementation.ts';
import { presenceSockets } from '../shared/presence/board.ts';
import { conversationNotices } from '../shared/conversations/notices.ts';
import { settings } from '../config/services.ts';

/** The reference describes all services, the page of links knows none, and booking pages use the calendar: http/ implements them. */
type Name = Exclude<keyof typeof topics, 'reference' | 'sharePage' | 'bookingPage'>;

/** A contract without a line here is a compile error. The other parts of a service are loaded when they are first needed. */
const parts: { readonly [N in Name]: Parts<(typeof topics)[N]['contract']> } = {
  account: {
    implementation: accountsImplementation,
    purge: async (ctx) => await (await import('../services/accounts/purge.ts')).purgeExpired(ctx),
    settings: { sessions: settings.sessions, passwords: settings.passwords },
  },
  members: { implementation: membersImplementation },
  pool: {
    implementation: poolImplementation,
    jobs: {
      'pool-join': async (ctx) => (await import('../services/pool/joining/join-job.ts')).joinJobHandler(ctx),
    },
    purge: async (ctx) => await (await import('../services/pool/purge.ts')).purgePool(ctx),
    network: async (ctx) => {
      await (await import('../services/pool/acl/mend-pool.ts')).mendPool(ctx);
      return (await import('../services/pool/network.ts')).joinNetwork(ctx);
    },
    ledgerTypes: ['POOL_ACL', 'POOL_DENIAL', 'POOL_EVIDENCE', 'POOL_FORK'],
    ledgerChecks: [
      {
        name: 'evidence',
        types: new Set(['POOL_EVIDENCE']),
        begin: async (db) => await (await import('../services/pool/acl/evidence-record.ts')).readEvidence(db),
      },
    ],
  },
  node: {
    implementation: nodeImplementation,
    purge: async (ctx) => await (await import('../services/node/purge.ts')).purgeNode(ctx),
  },
  ledger: {
    implementation: ledgerImplementation,
    ledgerTypes: ['NODE_RECOVERED', 'LEDGER_EVIDENCE'],
    ledgerChecks: [
      {
        name: 'contradictions',
        types: new Set(['LEDGER_EVIDENCE']),
        begin: async (db) =>
          await (await import('../platform/ledger/witness/evidence-record.ts')).readLedgerEvidence(db),
      },
    ],
    network: async (ctx) => {
      await (await import('../platform/ledger/witness/watch.ts')).lookAtMark(ctx);
      return (await import('../platform/ledger/witness/exchange.ts')).joinLedgerNetwork(ctx);
    },
    watch: async (ctx, signal) => await (await import('../platform/ledger/witness/watch.ts')).watchLedger(ctx, signal),
  },
  passvault: {
    implementation: passvaultImplementation,
    topics: vaultTopics,
    ledgerTypes: ['PASSVAULT_AUDIT'],
    settings: { vaults: settings.vaults },
  },
  filevault: {
    implementation: filevaultImplementation,
    jobs: {
      'file-destruction': async (ctx) =>
        (await import('../services/filevault/destruction/jobs.ts')).destructionHandler(ctx),
      'file-container-destruction': async (ctx) =>
        (await import('../services/filevault/destruction/jobs.ts')).containerHandler(ctx),
      'file-destruction-due': async (ctx) =>
        (await import('../services/filevault/destruction/jobs.ts')).scheduledHandler(ctx),
      'file-approval-expiry': async (ctx) =>
        (await import('../services/filevault/approvals/decisions.ts')).approvalExpiryHandler(ctx),
      'file-canary': async (ctx) => (await import('../services/filevault/canary/firing.ts')).canaryHandler(ctx),
      'file-canary-steps': async (ctx) => (await import('../services/filevault/canary/steps.ts')).stepsHandler(ctx),
      duress: async (ctx) => (await import('../services/filevault/canary/firing.ts')).duressHandler(ctx),
      'file-erasure': async (ctx) =>
        (await import('../services/filevault/destruction/erasures.ts')).erasureHandler(ctx),
      'file-member-keys': async (ctx) =>
        (await import('../services/filevault/content/container-keys.ts')).memberKeysHandler(ctx),
      'files-earlier-grants': async (ctx) =>
        (await import('../services/filevault/sharing/earlier-grants.ts')).earlierSharesHandler(ctx),
      'file-failing-conditions': async (ctx) =>
        (await import('../services/filevault/access/failing-conditions.ts')).failingConditionsHandler(ctx),
      'file-pruning': async (ctx) => (await import('../services/filevault/keeping/pruning.ts')).pruningHandler(ctx),
    },
    purge: async (ctx) => await (await import('../services/filevault/keeping/purge.ts')).purgeFiles(ctx),
    ledgerTypes: ['FILE_CREATED', 'FILE_ACCESS', 'FILE_AUDIT', 'FILE_DESTRUCTION', 'FILE_DESTROYED', 'ACCESS_FILTER'],
    settings: { files: settings.files },
  },
  quorum: {
    implementation: quorumImplementation,
    jobs: {
      'quorum-expiry': async (ctx) => (await import('../services/quorum/proposals/jobs.ts')).expiryHandler(ctx),
      'quorum-execution': async (ctx) => (await import('../services/quorum/proposals/jobs.ts')).executionHandler(ctx),
      'quorum-tally': async (ctx) => (await import('../services/quorum/proposals/jobs.ts')).tallyHandler(ctx),
      'quorum-session': async (ctx) =>
        (await import('../services/quorum/sessions/ending.ts')).sessionExpiryHandler(ctx),
      'quorum-reshare': async (ctx) =>
        (await import('../services/quorum/reshares/ending.ts')).reshareExpiryHandler(ctx),
    },
    topics: quorumTopics,
    ledgerTypes: ['QUORUM_AUDIT'],
    ledgerChecks: [
      {
        name: 'quorum',
        types: new Set(['QUORUM_AUDIT']),
        begin: async (db) => (await import('../services/quorum/audit/ledger-check.ts')).readAuditTrail(db),
      },
    ],
    settings: { quorum: settings.quorum },
  },
  mail: {
    implementation: mailImplementation,
    jobs: {
      'mail-send': async (ctx) => await (await import('../services/mail/sending/jobs.ts')).sendHandler(ctx),
      'mail-earlier-grants': async (ctx) =>
        (await import('../services/mail/rules/earlier-forwards.ts')).earlierForwardsHandler(ctx),
      'mail-notice': async (ctx) => (await import('../services/mail/sending/notices.ts')).noticeHandler(ctx),
      'mail-expiry': async (ctx) => (await import('../services/mail/sending/jobs.ts')).expiryHandler(ctx),
      'mail-arrivals': async (ctx) => await (await import('../services/mail/network/arrivals.ts')).arrivalsHandler(ctx),
      'mail-forward': async (ctx) => await (await import('../services/mail/sending/jobs.ts')).forwardHandler(ctx),
    },
    distantJobs: {
      'mail-relay': async (ctx) => (await import('../services/mail/sending/relay-job.ts')).relayHandler(ctx),
    },
    purge: async (ctx) => await (await import('../services/mail/purge.ts')).purgeMail(ctx),
    network: async (ctx) => (await import('../services/mail/network/network.ts')).joinMailNetwork(ctx),
    submission: async (ctx) => (await import('../services/mail/sending/submission.ts')).mailSubmission(ctx),
    peerBlocks: (ctx) => async (blockId, peer) =>
      await (await import('../services/mail/network/network.ts')).mailBlocks(ctx)(blockId, peer),
    topics: mailTopics,
    settings: { mail: settings.mail },
  },
  social: {
    implementation: socialImplementation,
    topics: hubTopics,
    onFrames: hubFrames,
    jobs: {
      'member-hidden': async (ctx) =>
        (await import('../services/social/people/hidden-job.ts')).hiddenMemberHandler(ctx),
      'social-like-notices': async (ctx) =>
        (await import('../services/social/posts/like-notices.ts')).likeNoticesHandler(ctx),
      'social-import': async (ctx) => (await import('../services/social/transfer/import-job.ts')).importHandler(ctx),
      'social-archive': async (ctx) => (await import('../services/social/archive/archive-job.ts')).archiveHandler(ctx),
      'social-hub-erasing': async (ctx) =>
        (await import('../services/social/posts/hub-erasing-job.ts')).hubErasingHandler(ctx),
      'social-hub-hidden': async (ctx) =>
        (await import('../services/social/hubs/hidden-notices.ts')).hubHiddenHandler(ctx),
      'social-leaving': async (ctx) => (await import('../services/social/leaving/leaving-job.ts')).leavingHandler(ctx),
    },
    purge: async (ctx) => await (await import('../services/social/purge.ts')).purgeSocial(ctx),
    notificationRules: [socialNotifications],
    settings: { social: settings.social },
  },
  chat: {
    implementation: chatImplementation,
    topics: chatTopics,
    onFrames: chatSocketFrames,
    onSockets: presenceSockets,
    watch: async (ctx, signal) => await (await import('../shared/presence/watch.ts')).watchPresence(ctx, signal),
    jobs: {
      'chat-activity': async (ctx) => (await import('../shared/conversations/events.ts')).activityHandler(ctx),
      'chat-erasing': async (ctx) => (await import('../shared/conversations/erasing.ts')).erasingHandler(ctx),
      'chat-scheduled': async (ctx) => (await import('../shared/conversations/unsent/due.ts')).scheduledHandler(ctx),
      'chat-leaving': async (ctx) => (await import('../services/chat/leaving.ts')).leavingHandler(ctx),
      'chat-suspended': async (ctx) => (await import('../shared/conversations/suspended.ts')).suspendedHandler(ctx),
      'chat-retention': async (ctx) => (await import('../shared/conversations/retention-job.ts')).retentionHandler(ctx),
      'chat-notices': async (ctx) => (await import('../shared/conversations/notices.ts')).noticesHandler(ctx),
    },
    purge: async (ctx) => await (await import('../services/chat/purge.ts')).purgeChat(ctx),
    notificationRules: [conversationNotices],
    settings: { chat: settings.chat },
  },
  calendar: {
    implementation: calendarImplementation,
    jobs: {
      'calendar-erasing': async (ctx) => (await import('../services/calendar/erasing.ts')).erasingHandler(ctx),
      'calendar-import': async (ctx) => (await import('../services/calendar/imports/import-job.ts')).importHandler(ctx),
      'calendar-horizon': async (ctx) => (await import('../services/calendar/objects/horizon.ts')).horizonHandler(ctx),
      'calendar-guest-mail': async (ctx) =>
        (await import('../services/calendar/booking/guest-mail.ts')).guestMailHandler(ctx),
      'calendar-reminders': async (ctx) => {
        const { prepareDigest } = await import('../services/mail/sending/digest.ts');
        return (await import('../services/calendar/reminders/reminder-job.ts')).reminderHandler(ctx, prepareDigest);
      },
      'calendar-outgoing': async (ctx) => {
        const { sendCalendarMail } = await import('../services/mail/sending/calendar-mail.ts');
        return (await import('../services/calendar/invitations/outgoing-job.ts')).outgoingHandler(
          ctx,
          sendCalendarMail,
        );
      },
      'calendar-message': async (ctx) => {
        const { readEventPart } = await import('../services/mail/reading/event-part.ts');
        return (await import('../services/calendar/invitations/message-job.ts')).messageHandler(ctx, readEventPart);
      },
    },
    distantJobs: {
      'calendar-subscription': async (ctx) =>
        (await import('../services/calendar/subscriptions/refresh-job.ts')).subscriptionHandler(ctx),
    },
    purge: async (ctx) => await (await import('../services/calendar/purge.ts')).purgeCalendars(ctx),
    settings: { calendar: settings.calendar },
    dav: async () => (await import('../services/calendar/dav/space.ts')).calendarSpace(),
  },
  contacts: {
    implementation: contactsImplementation,
    jobs: {
      'contacts-erasing': async (ctx) => (await import('../services/contacts/erasing.ts')).erasingHandler(ctx),
    },
    purge: async (ctx) => await (await import('../services/contacts/purge.ts')).purgeContacts(ctx),
    dav: async () => (await import('../services/contacts/dav/space.ts')).contactsSpace(),
  },
  notifications: {
    implementation: notificationsImplementation,
    jobs: {
      'notification-delivery': async (ctx) => (await import('../shared/notifications/held.ts')).deliveryHandler(ctx),
      'notification-hidden': async (ctx) => (await import('../shared/notifications/hidden.ts')).hiddenHandler(ctx),
      'notification-many': async (ctx) => await (await import('../shared/notifications/many.ts')).manyHandler(ctx),
      'notification-digest': async (ctx) => {
        const { prepareDigest } = await import('../services/mail/sending/digest.ts');
        return await (await import('../shared/notifications/digests/digest.ts')).digestHandler(ctx, prepareDigest);
      },
      'notification-reminders': async (ctx) =>
        (await import('../shared/notifications/absences.ts')).reminderHandler(ctx),
    },
    distantJobs: {
      'notification-push': async (ctx) =>
        await (await import('../shared/notifications/push/sending.ts')).pushHandler(ctx),
    },
    purge: async (ctx) => await (await import('../shared/notifications/purge.ts')).purgeNotifications(ctx),
    topics: notificationTopics,
    onFrames: notificationFrames,
    settings: { notifications: settings.notifications },
  },
  realtime: {
    implementation: implement(realtime, () => import('../shared/members/socket-tickets.ts')),
    purge: async (ctx) => {
      await (await import('../shared/members/socket-tickets.ts')).purgeTickets(ctx);
      await (await import('../platform/realtime/retention.ts')).purgeRealtime(ctx);
    },
  },
};

/** Every service of a node, once. Code that serves, runs, describes or tests all services uses this list. */
export const services: readonly Service[] = Object.entries(parts).map(([name, own]) =>
  service(topics[name as Name] as never, own as Parts<never>),
);
