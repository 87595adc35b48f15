import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Settings from '../../../commands/account/settings.ts';
import Login from '../../../commands/login.ts';
import Cancel from '../../../commands/quorum/cancel.ts';
import Propose from '../../../commands/quorum/propose.ts';
import ProposalCommand from '../../../commands/quorum/proposal.ts';
import Proposals from '../../../commands/quorum/proposals.ts';
import VoteCommand from '../../../commands/quorum/vote.ts';
import Watch from '../../../commands/quorum/watch.ts';
import { openClient } from '../../../src/client/client.ts';
import { changeLine, type Change } from '../../../src/cli/quorum/changes.ts';
import { watchQuorum } from '../../../src/cli/quorum/watching.ts';
import { Problem } from '../../../src/base/problem.ts';
import { keys } from '../run-command.ts';
import { openQuorumHome, type QuorumHome } from './quorum-home.ts';
import { elapses } from '../../support/real-time.ts';
import { inStage } from '../../support/stage.ts';

describe('decisions of the quorum from the terminal', () => {
  let quorum: QuorumHome;
  beforeAll(async () => {
    quorum = await openQuorumHome('url', ['ada', 'bob', 'cyd']);
  });
  afterAll(async () => await quorum[Symbol.asyncDispose]());

  const run: QuorumHome['run'] = async (...how) => await quorum.run(...how);
  const proposed = async (...argv: string[]): Promise<string> => {
    const made = await run('ada', Propose, [...argv, '--description', 'We talked about it', '--yes', '--json']);
    expect(made).toMatchObject({ code: 0 });
    return made.json().id;
  };
  const clientOf = async (who: string) =>
    await openClient({
      env: { ...quorum.home.env, ...quorum.as(who).env },
      userAgent: 'test',
      command: 'test',
      server: quorum.home.env['CONCLAVE_SERVER'],
    });

  it('are proposed with names, shown in words, voted on and carried out', async () => {
    const made = await run('ada', Propose, ['CHANGE_THRESHOLD', 'threshold=3', '--description', 'More', '--yes']);
    expect(made.stderr.split('\n').slice(0, 3)).toEqual([
      'Action       CHANGE_THRESHOLD: changes how many members decide together',
      'Threshold    3',
      'Description  More',
    ]);
    const id = /^Proposed ([0-9a-f]{32})\.$/m.exec(made.stdout)?.[1] ?? '';
    expect(made.stdout).toBe(`Proposed ${id}.\nMembers vote with: conclave quorum vote ${id.slice(0, 12)} approve\n`);
    const listed = await run('bob', Proposals, ['--status', 'pending']);
    expect(listed.stdout.split('\t').slice(0, 4)).toEqual([id, 'CHANGE_THRESHOLD', 'pending', 'More']);
    const first = await run('bob', VoteCommand, [id.slice(0, 12), 'approve', '--yes', '--comment', 'Yes']);
    expect(first).toMatchObject({ code: 0, stdout: 'Your vote is approve.\nThe proposal is pending.\n' });
    const shown = await run('cyd', ProposalCommand, [id.slice(0, 8)]);
    expect(shown.stdout).toContain('Votes\t1 of 2 approve\nNot voted\tada and cyd\n');
    expect(shown.stdout).toMatch(/\napprove\tbob\t\S+\tYes\n$/);
    const second = await run('cyd', VoteCommand, [id, 'approve', '--yes']);
    expect(second.stdout).toBe('Your vote is approve.\nIt decided: the action was carried out.\n');
    expect((await run('cyd', ProposalCommand, [id, '--json'])).json()).toMatchObject({
      proposal: { status: 'executed' },
      tally: { approve: 2, required: 2 },
    });
  });

  it('are asked for on a terminal, field by field', async () => {
    const person = [
      ['What should the quorum do?', [keys.down, keys.enter]],
      ['Member', [keys.down, keys.enter]],
      ['Description', 'Bob has left us'],
      ['Voting ends in', '3d'],
      ['Propose this?', 'n'],
    ] as const;
    const no = await run('ada', Propose, [], { person });
    expect(no.stderr).toContain('REMOVE_MEMBER: removes a member from the quorum');
    expect(no.stderr).toContain(`bob (${quorum.ids['bob']})`);
    expect([no.code, no.stderr.trimEnd().endsWith('Nothing was changed.')]).toEqual([2, true]);
    const custom = await run('ada', Propose, ['CUSTOM'], {
      person: [
        ['What was decided', '{"colour":"green"}'],
        ['Description', 'Paint the door'],
        ['Voting ends in', ''],
        ['Propose this?', 'y'],
      ],
    });
    expect(custom.stdout).toMatch(/^Proposed [0-9a-f]{32}\.$/m);
    expect(custom.stderr).toMatch(/^Colour {7}green$/m);
  });

  it('are asked for on a terminal as far as they are not given, and members are picked one after another', async () => {
    const banned = await run('ada', Propose, ['BAN_MEMBER', 'member=bob', '--expires', '2d'], {
      person: [
        ['Reason', 'Spam'],
        ['Description', 'Bob spams'],
        ['Propose this?', 'n'],
      ],
    });
    expect(banned.stderr).toMatch(/^Member {7}bob \(/m);
    expect(banned.stderr).toMatch(/^Reason {7}Spam$/m);
    const inner = await run('ada', Propose, ['CHANGE_INNER_QUORUM', '--description', 'A few'], {
      person: [
        ['Members of the inner quorum', [keys.down, keys.enter]],
        ['Members of the inner quorum: bob, and', [keys.enter]],
        ['Members of the inner quorum: bob, ada, and', [keys.enter]],
        ['Propose this?', 'y'],
      ],
    });
    const id = /^Proposed ([0-9a-f]{32})\.$/m.exec(inner.stdout)?.[1] ?? '';
    expect((await run('ada', ProposalCommand, [id, '--json'])).json().proposal).toMatchObject({
      actionPayload: { memberIds: ['bob', 'ada', 'cyd'].map((name) => quorum.ids[name]) },
    });
    await run('ada', Cancel, [id, '--yes']);
  });

  it('take their fields from a file or from standard input', async () => {
    const file = await quorum.home.file('door.json', '{"colour":"green"}');
    const argv = ['CUSTOM', '--description', 'Paint the door', '--yes', '--json', '--payload'];
    expect((await run('ada', Propose, [...argv, `@${file}`])).json().actionPayload).toEqual({ colour: 'green' });
    const piped = await run('ada', Propose, [...argv, '-'], { stdin: '{"colour":"red"}' });
    expect(piped.json().actionPayload).toEqual({ colour: 'red' });
    const none = await run('ada', Propose, [...argv, '@/nowhere.json']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--payload: /nowhere.json')]);
    const both = await run('ada', Propose, ['REMOVE_MEMBER', 'member=bob', ...argv.slice(1), '{}']);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('but not by both')]);
  });

  it('need everything that cannot be asked for without a terminal', async () => {
    const nothing = await run('ada', Propose, []);
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      expect.stringMatching(/action: is missing\. Give it with the first argument.*\n.*--description/),
    ]);
    for (const [argv, said] of [
      [['REMOVE_MEMBER'], 'member: is missing. Give it as member=…'],
      [['REMOVE_MEMBER', 'member=eve'], 'The quorum has no active member "eve".'],
      [['REMOVE_MEMBER', 'colour=green'], 'REMOVE_MEMBER takes member=…, and not "colour=green".'],
      [['TRANSITION_TO_QUORUM_MODE', 'now=yes'], 'TRANSITION_TO_QUORUM_MODE takes no fields, and not "now=yes".'],
      [['CHANGE_THRESHOLD', 'threshold=three'], 'threshold must be a whole number.'],
      [['CHANGE_THRESHOLD', 'threshold=9'], 'must be from 2 to the number of members, 3'],
      [['CUSTOM', '--payload', '[]'], '--payload must be a JSON object'],
      [['CUSTOM', '--expires', '2020-01-01'], '--expires must be in the future'],
      [['CUSTOM', '--expires', 'never'], 'Every proposal expires'],
    ] as const) {
      const refused = await run('ada', Propose, [...argv, '--description', 'Why', '--yes']);
      expect([argv, refused.code, refused.stderr]).toEqual([argv, expect.any(Number), expect.stringContaining(said)]);
      expect(refused.code).toBeGreaterThan(0);
    }
    const unasked = await run('ada', VoteCommand, [await proposed('CUSTOM'), 'approve']);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const unknown = await run('ada', VoteCommand, ['00000000', 'approve', '--yes']);
    expect([unknown.code, unknown.stderr]).toEqual([6, expect.stringContaining('There is no proposal "00000000".')]);
  });

  it('are voted on after a sign-in by key, which cannot sign, with the recovery phrase that is asked for', async () => {
    const id = await proposed('CUSTOM', '--payload', '{"n":2}');
    await run('bob', Settings, ['--direct-challenge']);
    const signedIn = await quorum.home.run(Login, ['bob', '--key', '--print-token'], {
      env: { CONCLAVE_KEY: quorum.accountPhrases['bob'] },
    });
    const { env } = quorum.as('bob', { CONCLAVE_TOKEN: signedIn.stdout.trim() });
    const unasked = await run('bob', VoteCommand, [id, 'approve', '--yes'], { env });
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--mnemonic-file')]);
    const phrase = (await readFile(quorum.phrases['bob']!, 'utf8')).trim();
    const asked = await run('bob', VoteCommand, [id, 'approve', '--comment', ' Why not '], {
      env,
      person: [
        ['Vote approve?', 'y'],
        ['Recovery phrase of the quorum', phrase],
      ],
    });
    expect([asked.code, asked.stdout]).toEqual([0, 'Your vote is approve.\nThe proposal is pending.\n']);
    expect(asked.stderr).not.toContain(phrase.split(' ').slice(0, 3).join(' '));
    expect((await run('ada', ProposalCommand, [id, '--json'])).json().votes).toMatchObject([
      { voterMemberId: quorum.ids['bob'], signedBy: 'member', counts: true, comment: ' Why not ' },
    ]);
  });

  it('are voted on with a file that has the recovery phrase', { tags: 'soak' }, async () => {
    const id = await proposed('CUSTOM', '--payload', '{"n":1}');
    const signed = await run('bob', VoteCommand, [id, 'reject', '--yes', '--mnemonic-file', quorum.phrases['bob']!]);
    expect(signed.stdout).toContain('Your vote is reject.');
    expect((await run('ada', ProposalCommand, [id, '--json'])).json().votes).toMatchObject([
      { voterMemberId: quorum.ids['bob'], signedBy: 'member', counts: true },
    ]);
    const wrong = await run('ada', VoteCommand, [id, 'reject', '--yes', '--mnemonic-file', quorum.phrases['cyd']!]);
    expect([wrong.code, wrong.stderr]).toEqual([expect.any(Number), expect.stringContaining('signature')]);
    expect(wrong.code).not.toBe(0);
  });

  it('are cancelled by who proposed them', async () => {
    const id = await proposed('CUSTOM');
    const other = await run('bob', Cancel, [id, '--yes']);
    expect([other.code, other.stderr]).toEqual([5, expect.stringContaining('proposer')]);
    expect((await run('ada', Cancel, [id.slice(0, 12), '--yes'])).stdout).toBe(`Cancelled ${id}.\n`);
    const late = await run('bob', VoteCommand, [id, 'approve', '--yes']);
    expect([late.code, late.stderr]).toEqual([7, expect.stringContaining('cancelled')]);
  });

  /** Looks again only when something was heard. */
  const byEvents = { deafMs: 600_000, perReadMs: 0, hearingMs: 600_000 };
  const trouble = (problem: Error): never => {
    throw problem;
  };

  it.each(inStage(['events'], ['events'], ['events', 'looks']))(
    'are watched by %s: what is there, what comes, and how one ends',
    async (by) => {
      await using connected = await clientOf('cyd');
      const { send } = connected.transport;
      const bare = { send, [Symbol.asyncDispose]: async () => undefined };
      const client = by === 'events' ? connected : { ...connected, transport: bare };
      const patience = by === 'events' ? byEvents : { deafMs: elapses(1), perReadMs: 0, hearingMs: elapses(1) };
      const id = await proposed('CUSTOM', '--payload', '{"watched":true}');
      const start = id.slice(0, 12);
      const lines: string[] = [];
      let looks = 0;
      await watchQuorum(client, {
        tell: (change, people) => void lines.push(changeLine(change, people, false)),
        trouble,
        patience,
        looked: async () => {
          looks += 1;
          if (looks > 1) return !lines.includes(`${start}  bob votes abstain`);
          expect(lines).toContain(`${start}  pending (0 of 3 approve)  CUSTOM  We talked about it`);
          lines.length = 0;
          await run('bob', VoteCommand, [id, 'abstain', '--yes']);
          return true;
        },
      });
      expect(lines).toEqual([`${start}  bob votes abstain`]);
      const watched: string[] = [];
      let first = true;
      const decided = await watchQuorum(client, {
        proposalId: id,
        tell: (change, people) => void watched.push(changeLine(change, people, false)),
        trouble,
        patience,
        looked: async () => {
          if (first) for (const who of ['ada', 'bob', 'cyd']) await run(who, VoteCommand, [id, 'approve', '--yes']);
          first = false;
          return true;
        },
      });
      expect(decided?.status).toBe('executed');
      expect(watched.slice(0, 2)).toEqual([
        `${start}  pending (0 of 3 approve, 1 abstain)  CUSTOM  We talked about it`,
        `${start}  bob votes abstain`,
      ]);
      const votes = ['ada', 'bob', 'cyd'].map((who) => `${start}  ${who} votes approve`);
      expect(watched.slice(2, -1).toSorted()).toEqual(votes);
      expect(watched.at(-1)).toBe(`${start}  executed (3 of 3 approve)  CUSTOM  We talked about it`);
    },
  );

  it('are watched with what the quorum is then', async () => {
    await using client = await clientOf('cyd');
    const told: Change[] = [];
    const lines: string[] = [];
    let first = true;
    await watchQuorum(client, {
      tell: (change, people) => {
        told.push(change);
        lines.push(changeLine(change, people, false));
      },
      trouble,
      patience: byEvents,
      looked: async () => {
        if (!first) return !told.some(({ event }) => event === 'epoch');
        first = false;
        const id = await proposed('CHANGE_THRESHOLD', 'threshold=2');
        for (const who of ['ada', 'bob', 'cyd']) await run(who, VoteCommand, [id, 'approve', '--yes']);
        return true;
      },
    });
    expect(lines.filter((line) => line.startsWith('epoch'))).toEqual([
      expect.stringMatching(/^epoch \d+ begins: 3 members, 2 decide together$/),
    ]);
  });

  it('are watched on when the connection is lost, and when the server does not answer', { tags: 'soak' }, async () => {
    await using connected = await clientOf('cyd');
    const { send, dial } = connected.transport;
    const dialled: { destroy(): void }[] = [];
    let refusals = 0;
    const client = {
      ...connected,
      transport: {
        send: async (...request: Parameters<typeof send>) => {
          if (refusals-- > 0) throw new Problem('network', 'NETWORK', 'Could not reach the server.');
          return await send(...request);
        },
        dial: async () => {
          const made = await dial!();
          dialled.push(made.socket);
          return made;
        },
        [Symbol.asyncDispose]: async () => undefined,
      },
    };
    const id = await proposed('CUSTOM');
    const lines: string[] = [];
    const troubles: string[] = [];
    let looks = 0;
    await watchQuorum(client, {
      tell: (change, people) => void lines.push(changeLine(change, people, false)),
      trouble: ({ message }) => void troubles.push(message),
      patience: { deafMs: elapses(20), perReadMs: 0, hearingMs: 600_000 },
      looked: async () => {
        looks += 1;
        if (looks === 1) {
          lines.length = 0;
          await run('bob', VoteCommand, [id, 'reject', '--yes']);
          refusals = 3;
          dialled[0]?.destroy();
        }
        return dialled.length < 2;
      },
    });
    expect(troubles).toEqual(['Could not reach the server.']);
    expect(lines).toEqual([`${id.slice(0, 12)}  bob votes reject`]);
    await run('ada', Cancel, [id, '--yes']);
  });

  it('end a watch with an exit code', async () => {
    const id = await proposed('CUSTOM');
    for (const who of ['ada', 'bob']) await run(who, VoteCommand, [id, 'approve', '--yes']);
    const done = await run('ada', Watch, [id, '--json']);
    expect([done.code, JSON.parse(done.stdout)]).toMatchObject([0, { event: 'proposal', proposal: { id } }]);
    const cancelled = await proposed('CUSTOM');
    await run('ada', Cancel, [cancelled, '--yes']);
    expect(await run('ada', Watch, [cancelled])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The proposal is cancelled.') as unknown,
    });
  });
});
