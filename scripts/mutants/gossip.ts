import type { Mutant } from './mutant.ts';

const received = ['announcements', 'hostile.thorough', 'envelope'].map((name) => `test/gossip/${name}.test.ts`);

export const gossipMutants: readonly Mutant[] = [
  {
    file: 'src/gossip/announcements.ts',
    what: 'replay window',
    from: 'expiresAt = clock.now() + limits.keepMs + limits.clockSkewMs',
    to: 'expiresAt = clock.now() + limits.clockSkewMs',
    tests: received,
  },
  {
    file: 'src/gossip/announcements.ts',
    what: 'age',
    from: "if (age > (way === 'gossip' ? limits.clockSkewMs : limits.keepMs) || age < -limits.clockSkewMs)",
    to: "if (age > (way === 'gossip' ? limits.clockSkewMs : limits.keepMs))",
    tests: received,
  },
  {
    file: 'src/gossip/announcements.ts',
    what: 'age of gossip',
    from: "(way === 'gossip' ? limits.clockSkewMs : limits.keepMs)",
    to: 'limits.keepMs',
    tests: received,
  },
  {
    file: 'src/gossip/announcements.ts',
    what: 'author',
    from: "if (envelope.nodeId !== keys.nodeId && !(await admission.isAdmitted(envelope.nodeId))) return 'refused_author';",
    to: '',
    tests: received,
  },
  {
    file: 'src/gossip/announcements.ts',
    what: 'signature',
    from: "if (!isAuthentic(envelope)) return 'refused_signature';",
    to: '',
    tests: received,
  },
  {
    file: 'src/gossip/announcements.ts',
    what: 'rate of an author',
    from: "if (!allowances.take(envelope.nodeId, clock.now())) return 'refused_rate';",
    to: '',
    tests: received,
  },
  {
    file: 'src/gossip/announcements.ts',
    what: 'known or waiting',
    from: "if (index.has(envelope.id) || pending.has(envelope.id)) return 'refused_replay';",
    to: '',
    tests: received,
  },
  {
    file: 'src/gossip/admission.ts',
    what: 'answers older than a change',
    from: 'if (asked === generation) {',
    to: 'if (asked >= 0) {',
    tests: ['test/gossip/'],
  },
  {
    file: 'src/gossip/admission.ts',
    what: 'age of an answer',
    from: 'known !== undefined && Math.abs(clock.now() - known.at) < BELIEVED_MS',
    to: 'known !== undefined',
    tests: ['test/gossip/'],
  },
  {
    file: 'src/gossip/envelope.ts',
    what: 'author of the key',
    from: "if (author?.nodeId !== nodeId) return 'key';",
    to: "if (author === undefined) return 'key';",
    tests: received,
  },
  {
    file: 'src/gossip/envelope.ts',
    what: 'canonical content',
    from: 'isContent(value) && canonicalJson(value) === text',
    to: 'isContent(value)',
    tests: received,
  },
  {
    file: 'src/gossip/envelope.ts',
    what: 'size',
    from: "if (bytes.length > maxBytes) return 'size';",
    to: '',
    tests: received,
  },
  {
    file: 'src/gossip/reconcile.ts',
    what: 'what was asked for',
    from: 'if (!wanted.delete(id)) return false;',
    to: 'wanted.delete(id);',
    tests: ['test/gossip/reconcile.test.ts'],
  },
  {
    file: 'src/gossip/reconcile.ts',
    what: 'what is not given',
    from: '  for (const id of wanted) options.refused.add(id);\n',
    to: '',
    tests: ['test/gossip/reconcile.test.ts'],
  },
];
