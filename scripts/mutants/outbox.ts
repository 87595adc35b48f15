import type { Mutant } from './mutant.ts';

const mailed = ['outbox', 'waiting.thorough', 'hostile-peers.thorough', 'poison'].map(
  (name) => `test/platform/network/outbox/${name}.test.ts`,
);

export const outboxMutants: readonly Mutant[] = [
  {
    file: 'src/platform/network/outbox/inbox.ts',
    what: 'what is handled is noted as seen',
    from: 'if (!(await addKnown(tx.db, added, keepUntil))) throw new Raced();',
    to: '',
    tests: mailed,
  },
  {
    file: 'src/platform/network/outbox/inbox.ts',
    what: 'a message that was seen is not handled again',
    from: 'if (before === undefined)',
    to: 'if (before === undefined || before.bodyHash === message.bodyHash)',
    tests: mailed,
  },
  {
    file: 'src/platform/network/outbox/inbox.ts',
    what: 'admission in the transaction',
    from: "if ((await directory.standing(tx.db, sender)) !== 'admitted') throw notAdmitted();",
    to: '',
    tests: mailed,
  },
  {
    file: 'src/platform/network/outbox/inbox.ts',
    what: 'what is expired is not handled',
    from: 'if (expiresAt <= now) return expired;',
    to: '',
    tests: mailed,
  },
  {
    file: 'src/platform/network/outbox/deliver.ts',
    what: 'signer of a receipt',
    from: 'if (!verify(receipt)) break;',
    to: '',
    tests: mailed,
  },
  {
    file: 'src/platform/network/outbox/deliver.ts',
    what: 'the key that the list at that version names',
    from: 'await directory.keyAt(db, nodeId, told.version);',
    to: 'await directory.keyAt(db, nodeId, head.version);',
    tests: mailed,
  },
  {
    file: 'src/platform/network/outbox/deliver.ts',
    what: 'what could not leave is not marked as sent',
    from: 'await peerSays(options.reach(nodeId));',
    to: '',
    tests: mailed,
  },
  {
    file: 'src/platform/network/outbox/outbox-rows.ts',
    what: 'what left is not ended by this node alone',
    from: "if (unsent) query = query.where('sent_at', 'is', null);",
    to: '',
    tests: mailed,
  },
  {
    file: 'src/platform/network/outbox/outbox.ts',
    what: 'a connection is worth an attempt at once',
    from: 'if (queue.nodeId === nodeId) run(queue, true);',
    to: 'if (queue.nodeId === nodeId && queue.attempts === 0) run(queue, true);',
    tests: mailed,
  },
  {
    file: 'src/platform/network/outbox/outbox.ts',
    what: 'new messages are no reason to try again',
    from: 'queue.again = isChanged(queue) || (error instanceof Later && error.apart && (queue.again || error.progress));',
    to: 'queue.again ||= isChanged(queue);',
    tests: mailed,
  },
  {
    file: 'src/platform/network/outbox/patience.ts',
    what: 'a failing store is no reason to lose messages',
    from: 'if (isPassing(error)) return false;',
    to: '',
    tests: mailed,
  },
  {
    file: 'src/platform/network/requests.ts',
    what: 'requests of a node over all its connections',
    from: 'if (ofPeer >= atOnce) {',
    to: 'if (ofPeer > 1e9) {',
    tests: ['test/platform/network/requests-at-once.test.ts'],
  },
  {
    file: 'src/platform/network/outbox/turns.ts',
    what: 'one batch of a channel waits',
    from: 'if (before.awaited)',
    to: 'if (false)',
    tests: ['test/platform/network/outbox/hostile-peers.thorough.test.ts'],
  },
  {
    file: 'src/platform/network/outbox/outbox.ts',
    what: 'messages of a node to itself',
    from: "'nodeId' in peer && peer.nodeId === nodeId",
    to: 'false',
    tests: mailed,
  },
];
