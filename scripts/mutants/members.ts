import type { Mutant } from './mutant.ts';

export const memberMutants: readonly Mutant[] = [
  {
    file: 'src/base/log-fields.ts',
    what: 'hash that any text of a public field hides behind',
    from: 'publicHash.test(item)',
    to: 'item.length > 0',
    tests: ['test/base/log-lines.test.ts'],
  },
  {
    file: 'src/base/log-fields.ts',
    what: 'names of secrets',
    from: "if (secretName.test(name)) inspected[name] = '[hidden]';\n    else inspected",
    to: 'inspected',
    tests: ['test/base/log-lines.test.ts'],
  },
  {
    file: 'src/shared/members/socket-tickets.ts',
    what: 'age of a ticket',
    from: 'used === undefined || used.expires_at <= now',
    to: 'used === undefined',
    tests: ['test/shared/members/socket-tickets.test.ts'],
  },
  {
    file: 'src/shared/members/socket-tickets.ts',
    what: 'session that expired since its ticket',
    from: "session?.status !== 'active' || session.expires_at <= now",
    to: "session?.status !== 'active'",
    tests: ['test/shared/members/socket-tickets.test.ts'],
  },
  {
    file: 'src/shared/members/socket-tickets.ts',
    what: 'member of a ticket',
    from: "session?.status !== 'active' || session.expires_at <= now",
    to: 'session === undefined || session.expires_at <= now',
    tests: ['test/shared/members/socket-tickets.test.ts'],
  },
  {
    file: 'src/shared/members/socket-tickets.ts',
    what: 'session that ended while a ticket was made',
    from: '    await assertStillSignedIn(tx, actor);\n',
    to: '',
    tests: ['test/shared/members/socket-tickets.test.ts'],
  },
  {
    file: 'src/shared/members/blocks.ts',
    what: 'end of a mute',
    from: 'ends_at > $2',
    to: 'ends_at < $2',
    tests: ['test/shared/members/blocks.test.ts'],
  },
  {
    file: 'src/shared/members/blocks.ts',
    what: 'blocks by the other',
    from: 'and member_id in ${ids}\n  union all',
    to: 'and member_id in ${ids} and 1 = 0\n  union all',
    tests: ['test/shared/members/blocks.test.ts', 'test/shared/members/read-many.test.ts'],
  },
  {
    file: 'src/shared/members/blocks.ts',
    what: 'mutes where they do not count',
    from: "by === 'blocks' ?",
    to: "by === 'nothing' ?",
    tests: ['test/shared/members/blocks.test.ts', 'test/shared/members/read-many.test.ts'],
  },
  {
    file: 'src/shared/members/blocks.ts',
    what: 'blocking of oneself',
    from: 'if (otherId === actor.memberId) {',
    to: "if (otherId === '') {",
    tests: ['test/shared/members/blocks.test.ts'],
  },
];
