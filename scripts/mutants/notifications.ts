import type { Mutant } from './mutant.ts';

const notifications = ['test/services/notifications/inbox.test.ts'];
const preferences = ['test/services/notifications/preferences.test.ts'];
const quorum = ['test/services/quorum/notices.thorough.test.ts'];

export const notificationMutants: readonly Mutant[] = [
  {
    file: 'src/services/notifications/topics.ts',
    what: 'notifications are heard by their recipient alone',
    from: 'topic === topicOf(memberId)',
    to: 'topic.startsWith(topicOf(memberId).slice(0, 14))',
    tests: notifications,
  },
  {
    file: 'src/shared/notifications/notify.ts',
    what: 'notifications are not for whoever caused them',
    from: 'memberIds.filter((id) => id !== wanted.actorId)',
    to: "memberIds.filter((id) => id !== '')",
    tests: notifications,
  },
  {
    file: 'src/shared/notifications/withdraw.ts',
    what: 'withdrawn notifications are not replayed',
    from: 'await eraseEvents(tx.db, topicOf(memberId));\n    if (seen',
    to: "await eraseEvents(tx.db, '');\n    if (seen",
    tests: ['test/services/notifications/groups.test.ts'],
  },
  {
    file: 'src/shared/notifications/held.ts',
    what: 'notifications wait on where quiet hours follow Do Not Disturb',
    from: 'if (until !== undefined) {',
    to: 'if (until === Infinity) {',
    tests: preferences,
  },
  {
    file: 'src/services/quorum/events/membership.ts',
    what: 'notifications of the quorum are taken from former members',
    from: 'await noticesGone(tx, accountId);',
    to: 'noticesGone satisfies unknown;',
    tests: quorum,
  },
  {
    file: 'src/services/quorum/events/sessions.ts',
    what: 'notifications end with the session that wants shares',
    from: 'await withdraw(tx, { targetId: sessionId });',
    to: 'withdraw satisfies unknown;',
    tests: quorum,
  },
];
