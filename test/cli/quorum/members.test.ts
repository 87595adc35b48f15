import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import List from '../../../commands/quorum/audit/list.ts';
import Check from '../../../commands/quorum/alias/check.ts';
import RegisterAlias from '../../../commands/quorum/alias/register.ts';
import Epochs from '../../../commands/quorum/epochs.ts';
import Add from '../../../commands/quorum/members/add.ts';
import Link from '../../../commands/quorum/members/link.ts';
import Members from '../../../commands/quorum/members/list.ts';
import Remove from '../../../commands/quorum/members/remove.ts';
import Metrics from '../../../commands/quorum/metrics.ts';
import Status from '../../../commands/quorum/status.ts';
import VoteCommand from '../../../commands/quorum/vote.ts';
import { newMember } from '../../../src/client/quorum/new-member.ts';
import type { Person, RunOptions } from '../run-command.ts';
import { openQuorumHome, type QuorumHome } from './quorum-home.ts';

describe('members of the quorum from the terminal', () => {
  let quorum: QuorumHome;
  beforeAll(async () => {
    quorum = await openQuorumHome('url', ['ada', 'bob', 'cyd']);
  });
  afterAll(async () => await quorum[Symbol.asyncDispose]());

  const run = async (
    who: string,
    command: Parameters<QuorumHome['home']['run']>[0],
    argv: string[] = [],
    options: RunOptions = {},
  ) => await quorum.home.run(command, argv, { ...quorum.as(who), ...options });

  it('are listed, and the quorum is shown at a glance', async () => {
    const listed = await run('ada', Members);
    expect(listed.stdout.split('\n').map((line) => line.split('\t').slice(0, 2))).toEqual([
      ...['ada', 'bob', 'cyd'].map((name) => [quorum.ids[name], name]),
      [''],
    ]);
    expect((await run('bob', Status)).stdout).toBe(
      [
        'Members\t3: ada, bob and cyd',
        'Decide together\t2',
        'Mode\tbootstrap: administrators add and remove members',
        'Epoch\t3',
        'You\tare bob\n',
      ].join('\n'),
    );
    expect((await run('root', Status, ['--json'])).json()).toMatchObject({ memberCount: 3, mode: 'bootstrap' });
    expect((await run('ada', Epochs)).stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([
      '3',
      '2',
      '1',
      '',
    ]);
    expect((await run('ada', Metrics)).stdout).toContain('Members\t3\nEpoch\t3\nProposals\t0, 0 of them pending\n');
    expect((await run('ada', List, ['--limit', '1'])).stdout).toContain(
      `\tMEMBER_ADDED\tmember/${quorum.ids['cyd']}\t`,
    );
  });

  it('are added with a phrase that is shown once, apart, and of which three words are asked for', async () => {
    // The words that are asked for are read from what the terminal shows, as a person does it.
    const person: Person & { words?: string[] } = [
      ['Enter goes back', ''],
      ['Word ', 'zebra'],
    ];
    const wrong = await run('root', Add, ['Eve'], { person: [...person, ['That is not word', undefined]] });
    expect(wrong.stderr).toContain('\u001b[?1049h');
    expect(wrong.stderr).toContain('\u001b[?1049l');
    expect((await run('ada', Members)).stdout).not.toContain('Eve');
    const phrase = /((?: {2}(?:[a-z]+ ){5}[a-z]+\r?\n){4})/.exec(wrong.stderr)?.[1]?.trim().split(/\s+/) ?? [];
    expect(phrase).toHaveLength(24);
    expect(wrong.stdout).toBe('');
  });

  it('are added with a key of their own, without a terminal, and link their accounts', async () => {
    const none = await run('root', Add, ['Fay']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--public-key')]);
    const { mnemonic, publicKey, asked } = await newMember();
    expect(new Set(asked).size).toBe(3);
    expect(asked.every((position) => position >= 1 && position <= 24)).toBe(true);
    const added = await run('root', Add, ['Fay', '--public-key', publicKey, '--role', 'notary']);
    expect(added.stdout).toMatch(
      /^Added Fay, member [0-9a-f]{24}\. They link an account with: conclave quorum members link\n$/,
    );
    const file = await quorum.home.file('fay.phrase', `${mnemonic}\n`);
    const linked = await run('root', Link, ['--mnemonic-file', file]);
    expect(linked.stdout).toBe('You are Fay in the quorum.\n');
    expect((await run('root', Status, ['--json'])).json().memberId).toBe(
      /member ([0-9a-f]{24})/.exec(added.stdout)?.[1],
    );
    const twice = await run('root', Add, ['Fay', '--public-key', publicKey]);
    expect([twice.code, twice.stderr]).toEqual([7, expect.stringContaining('member')]);
  });

  it('are removed by name, after a question', async () => {
    const no = await run('root', Remove, ['fay'], { person: [['Remove Fay', 'n']] });
    expect([no.code, no.stderr.trimEnd().endsWith('Nothing was changed.')]).toEqual([2, true]);
    expect((await run('root', Remove, ['Fay', '--yes'])).stdout).toBe('Removed Fay.\n');
    const other = await run('ada', Remove, ['bob', '--yes']);
    expect([other.code, other.stderr]).toEqual([5, 'Error: Your role does not allow this.\n']);
    const unknown = await run('root', Remove, ['Fay', '--yes']);
    expect([unknown.code, unknown.stderr]).toEqual([6, expect.stringContaining('no active member "Fay"')]);
  });

  it('register aliases, which are checked by scripts', async () => {
    expect(await run('ada', Check, ['amazing.g'])).toMatchObject({ code: 0, stdout: 'amazing.g is free.\n' });
    const identity = await quorum.home.file('grace.json', '{"name":"Grace"}');
    const proposed = await run('ada', RegisterAlias, ['amazing.g', '--identity', identity]);
    const id = /^Proposed ([0-9a-f]{32})\. The identity is sealed\.\n$/.exec(proposed.stdout)?.[1] ?? '';
    for (const who of ['ada', 'bob']) await run(who, VoteCommand, [id, 'approve', '--yes']);
    expect(await run('bob', Check, ['Amazing.G'])).toMatchObject({ code: 1, stdout: 'amazing.g is taken.\n' });
    const list = await quorum.home.file('list.json', '[]');
    const refused = await run('ada', RegisterAlias, ['other', '--identity', list]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('must be a JSON object')]);
  });
});
