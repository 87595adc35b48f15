import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../../commands/account/register.ts';
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
import Documents from '../../../commands/quorum/documents.ts';
import Propose from '../../../commands/quorum/propose.ts';
import Seal from '../../../commands/quorum/seal.ts';
import { memberKeys } from '../../../src/client/quorum/member-key.ts';
import { newMember } from '../../../src/client/quorum/new-member.ts';
import { statusText } from '../../../src/cli/quorum/member-views.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import type { Person, Reader } from '../run-command.ts';
import { openQuorumHome, type QuorumHome } from './quorum-home.ts';

it('the status names links that nobody verified, and what to do', () => {
  const [memberId, accountId] = ['ab'.repeat(12), 'cd'.repeat(12)];
  const status = {
    mode: 'bootstrap',
    epochNumber: 1,
    memberCount: 0,
    threshold: 2,
    innerQuorumMemberIds: [],
    nodeId: 'ef',
    unverifiedLinks: [
      { memberId, name: 'Ann', accountId },
      { memberId: accountId, name: 'Bob', accountId },
    ],
  } as const;
  const people = { members: [], nameOf: (id: string) => id, find: () => undefined as never };
  const screen = { timezone: 'UTC', paint: (_: string, text: string) => text } as never;
  const confirm = `an administrator runs: conclave admin members confirm-email ${accountId}`;
  expect(statusText(screen, status as never, people)).toContain(
    [
      `Unverified\tAnn: the account was linked by an e-mail address that nobody verified; ${confirm}, or Ann runs: conclave quorum members link`,
      `Unverified\tBob: was added by an e-mail address that nobody verified; ${confirm}`,
    ].join('\n'),
  );
});

describe('members of the quorum from the terminal', () => {
  let quorum: QuorumHome;
  beforeAll(async () => {
    quorum = await openQuorumHome('url', ['ada', 'bob', 'cyd']);
  });
  afterAll(async () => await quorum[Symbol.asyncDispose]());

  const run: QuorumHome['run'] = async (...how) => await quorum.run(...how);

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

  it('are added with an account that is named, or whose address is verified', async () => {
    const env = { CONCLAVE_PASSWORD: 'the long secret of dan' };
    await quorum.home.run(Register, ['--username', 'dan', '--email', 'dan@home.test'], { env });
    const add = async (name: string, ...more: string[]) => {
      const key = Buffer.from(generateKeyPair().publicKey).toString('hex');
      return await run('root', Add, [name, '--public-key', key, ...more]);
    };
    const byAddress = await add('Dan', '--email', 'dan@home.test');
    expect(byAddress.stdout).toContain(
      'No account has dan@home.test as its verified address, so none is linked. They link an account with: conclave quorum members link',
    );
    const [, id] = /member ([0-9a-f]{24})/.exec(byAddress.stdout) ?? [];
    expect(await add('Dan', '--account', 'dan@home.test')).toMatchObject({ code: 7, stdout: '' });
    const named = await add('Dan', '--account', 'dan');
    expect(named.stdout).toMatch(/^Added Dan, member [0-9a-f]{24}\.\n$/);
    for (const one of [id!, named.stdout.slice(-26, -2)]) await run('root', Remove, [one, '--yes']);
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
    expect(phraseIn(wrong.stderr)).toHaveLength(24);
    expect(wrong.stdout).toBe('');
    // Whoever writes it down is asked for three words, shown the phrase again on request, and added with the key of this phrase.
    const writer = writingDown();
    const added = await run('root', Add, ['Eve', '--json'], { person: writer.read });
    expect(added).toMatchObject({ code: 0 });
    const { publicKey } = await memberKeys(writer.phrase().join(' '));
    expect(added.json()).toMatchObject({
      metadata: { name: 'Eve' },
      publicKey: Buffer.from(publicKey).toString('hex'),
    });
    expect(writer.asked()).toHaveLength(3);
    expect(added.stderr.split('\u001b[?1049h')).toHaveLength(3);
    expect(Object.keys(added.json())).not.toContain('mnemonic');
    for (const stretch of outsideAside(added.stderr))
      expect(stretch).not.toContain(writer.phrase().slice(0, 6).join(' '));
    expect((await run('root', Remove, ['Eve', '--yes'])).code).toBe(0);
  });

  it('are the administrators themselves, with the key of their account and no new phrase', async () => {
    const added = await run('root', Add, ['Grace', '--own']);
    expect([added.code, added.stdout, added.stderr]).toEqual([
      0,
      expect.stringMatching(/^Added Grace, member [0-9a-f]{24}\.\n$/),
      '',
    ]);
    expect((await run('root', Status)).stdout).toContain('You\tare Grace\n');
    const both = await run('root', Add, ['Grace', '--own', '--public-key', '02'.repeat(33)]);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--public-key')]);
    expect((await run('root', Add, ['Grace', '--own'])).code).toBe(7);
    const other = await run('ada', Add, ['Ada', '--own']);
    expect([other.code, other.stderr]).toEqual([5, 'Error: Your role does not allow this.\n']);
    expect((await run('root', Remove, ['grace', '--yes'])).stdout).toBe('Removed Grace.\n');
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
    expect(no.stderr).toContain('Shares of a removed member open nothing here.');
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
    expect((await run('ada', Status)).stdout).toContain(
      'Pending\t1 proposal: conclave quorum proposals --status pending\n',
    );
    for (const who of ['ada', 'bob']) await run(who, VoteCommand, [id, 'approve', '--yes']);
    expect(await run('bob', Check, ['Amazing.G'])).toMatchObject({ code: 1, stdout: 'amazing.g is taken.\n' });
    const list = await quorum.home.file('list.json', '[]');
    const refused = await run('ada', RegisterAlias, ['other', '--identity', list]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('must be a JSON object')]);
  });

  it('leave documents to share anew, or out of reach, as status says, until the quorum decides about its members', async () => {
    const file = await quorum.home.file('will.json', '{"will":1}');
    for (const threshold of ['2', '3'])
      await run('ada', Seal, [file, '--member', 'ada', '--member', 'bob', '--member', 'cyd', '--threshold', threshold]);
    const far = (await run('ada', Documents, ['--json']))
      .json()
      .documents.find(({ sharesRequired }: { sharesRequired: number }) => sharesRequired === 3);
    // The identity behind the alias is the third.
    const removed = await run('root', Remove, [quorum.ids['cyd']!, '--yes']);
    expect(removed.stdout).toBe(
      `Removed cyd.\nShare anew what the member has shares of (3): conclave quorum documents --holders-changed true\nOut of reach until cyd is added again with the same key: ${far.id}\n`,
    );
    expect((await run('bob', Status)).stdout).toContain(
      'Share anew\t3 documents: conclave quorum documents --holders-changed true\nOut of reach\t1 document: add a former holder again with the same key\n',
    );
    expect((await run('root', Status, ['--json'])).json()).toMatchObject({ holdersChanged: 3, outOfReach: 1 });
    const decided = (
      await run('ada', Propose, ['TRANSITION_TO_QUORUM_MODE', '--yes', '--json', '--description', 'Go'])
    ).json();
    for (const who of ['ada', 'bob']) await run(who, VoteCommand, [decided.id, 'approve', '--yes']);
    const person: Person = [['Enter goes back', '']];
    const late = await run('root', Add, ['Hal'], { person });
    expect([late.code, late.stderr]).toEqual([
      5,
      'Error: The quorum decides about its members itself. To propose one, run:\nconclave quorum propose ADD_MEMBER\n',
    ]);
  });
});

/** Reads a new phrase from the terminal, asks for it once more at the first question, and answers with its words. */
function writingDown() {
  const answered = new Set<number>();
  let left = 0;
  let again = false;
  let words: string[] = [];
  const read: Reader = (shown) => {
    const asides = shown.split('Enter goes back').length - 1;
    if (shown.lastIndexOf('\u001b[?1049h') > shown.lastIndexOf('\u001b[?1049l')) {
      const entered = shown.split('\u001b[?1049h').length - 1;
      if (entered === left || asides < entered) return undefined;
      left = entered;
      words = phraseIn(shown);
      return '';
    }
    const position = Number([...shown.matchAll(/Word (\d+) of the phrase/g)].at(-1)?.[1]);
    if (!(position > 0) || answered.has(position)) return undefined;
    if (!again) {
      again = true;
      return '';
    }
    if (left < 2) return undefined;
    answered.add(position);
    return words[position - 1];
  };
  return { read, phrase: () => words, asked: () => [...answered] };
}

function phraseIn(shown: string): string[] {
  return /((?: {2}(?:[a-z]+ ){5}[a-z]+\r?\n){4})/.exec(shown)?.[1]?.trim().split(/\s+/) ?? [];
}

/** What stays on the terminal after its alternate screens are left. */
function outsideAside(shown: string): string[] {
  const [before = '', ...asides] = shown.split('\u001b[?1049h');
  return [before, ...asides.map((text) => text.split('\u001b[?1049l')[1] ?? '')];
}
