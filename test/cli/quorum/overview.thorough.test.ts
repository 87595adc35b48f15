import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Quorum from '../../../commands/quorum.ts';
import Propose from '../../../commands/quorum/propose.ts';
import ProposalCommand from '../../../commands/quorum/proposal.ts';
import Seal from '../../../commands/quorum/seal.ts';
import Reshare from '../../../commands/quorum/reshare.ts';
import Show from '../../../commands/quorum/show.ts';
import Unseal from '../../../commands/quorum/unseal.ts';
import Contribute from '../../../commands/quorum/contribute.ts';
import { Cancelled } from '../../../src/cli/kit/prompts.ts';
import { oneKey } from '../../../src/cli/kit/one-key.ts';
import type { Terminal } from '../../../src/cli/kit/terminal.ts';
import { eventually } from '../../support/eventually.ts';
import { openQuorumHome, type QuorumHome } from './quorum-home.ts';

describe('conclave quorum', () => {
  let quorum: QuorumHome;
  beforeAll(async () => {
    quorum = await openQuorumHome('url', ['ada', 'bob', 'cyd']);
  });
  afterAll(async () => await quorum[Symbol.asyncDispose]());

  const run: QuorumHome['run'] = async (...how) => await quorum.run(...how);
  const proposed = async (description: string): Promise<string> =>
    (await run('ada', Propose, ['CUSTOM', '--description', description, '--yes', '--json', '--payload', '{}'])).json()
      .id;

  it('says that nothing waits, lists what does, and acts on each by one key', async () => {
    expect((await run('bob', Quorum)).stdout).toBe('Nothing waits for you. To see more: conclave quorum status\n');
    expect((await run('root', Quorum, ['--json'])).json()).toEqual({ tasks: [] });
    const [first, second, third] = [await proposed('Paint'), await proposed('Sing'), await proposed('Dance')];
    const listed = (await run('bob', Quorum)).stdout.trimEnd().split('\n');
    expect(listed.map((line) => line.split('\t').slice(0, 3))).toEqual([
      ['vote', first, 'Paint'],
      ['vote', second, 'Sing'],
      ['vote', third, 'Dance'],
    ]);
    expect((await run('bob', Quorum, ['--json'])).json().tasks).toMatchObject([
      { kind: 'vote', proposal: { id: first } },
      {},
      {},
    ]);
    const person = [
      ['Vote:', ['x', 'a']],
      ['Vote:', ['s']],
      ['Vote:', ['r']],
    ] as const;
    const worked = await run('bob', Quorum, [], { person });
    expect(worked).toMatchObject({ code: 0 });
    expect(worked.stderr).toContain('1 of 3: your vote is wanted');
    expect(worked.stderr).toContain('[a] approve  [r] reject  [b] abstain  [s] skip  [q] leave a\n');
    expect(worked.stderr).toContain('Your vote is approve. The proposal is pending.');
    expect((await run('bob', ProposalCommand, [third, '--json'])).json().votes).toMatchObject([{ decision: 'reject' }]);
    const left = await run('bob', Quorum, [], { person: [['Vote:', ['q']]] });
    expect(left).toMatchObject({ code: 0 });
    expect((await run('bob', Quorum)).stdout).toContain(second);
    await run('bob', Quorum, [], { person: [['Vote:', ['b']]] });
  });

  it('shows a proposal whose payload names nobody, and text that would move the cursor, as they are', async () => {
    const nobody = '{"memberId": "\\u001b[2Jnobody"}';
    const other = JSON.stringify({ memberId: '0'.repeat(24) });
    for (const payload of [nobody, other])
      await run('ada', Propose, ['CUSTOM', '--description', 'Odd', '--yes', '--payload', payload]);
    const worked = await run('bob', Quorum, [], {
      person: [
        ['Vote:', ['r']],
        ['Vote:', ['r']],
      ],
    });
    expect(worked).toMatchObject({ code: 0 });
    expect(worked.stderr).toContain('\\x1b[2Jnobody');
    expect(worked.stderr).not.toContain('\u001b[2J');
  });

  it('gives a share that somebody waits for', async () => {
    const file = await quorum.home.file('plan.json', '{"plan":1}');
    const { documentId } = (
      await run('ada', Seal, [file, '--json', '--member', 'ada', '--member', 'bob', '--threshold', '2'])
    ).json();
    const opening = run('ada', Unseal, [documentId, '--reason', 'We need it']);
    await eventually(async () => {
      expect((await run('bob', Quorum)).stdout).toMatch(/^share\t[0-9a-f]{32}\tWe need it\tconclave quorum contribute/);
    });
    const env = { ...quorum.as('bob').env, CONCLAVE_QUORUM_MNEMONIC_FILE: quorum.phrases['bob'] };
    const given = await run('bob', Quorum, [], { env, person: [['Share:', ['c']]] });
    expect(given.stderr).toContain('Your share is given: 1 of 2.');
    await run('ada', Contribute, ['--mnemonic-file', quorum.phrases['ada']!, '--yes']);
    expect(await opening).toMatchObject({ code: 0, stdout: '{"plan":1}' });
  });

  it('opens and confirms a new share', { tags: 'soak' }, async () => {
    const file = await quorum.home.file('key.json', '{"key":1}');
    const { documentId } = (
      await run('ada', Seal, [file, '--json', '--member', 'ada', '--member', 'bob', '--threshold', '2'])
    ).json();
    const resharing = run('ada', Reshare, [documentId, '--member', 'bob', '--member', 'cyd', '--threshold', '2']);
    /** waits for a task, skips the votes that come before it, and acts on it */
    const acts = async (name: string, kind: string, question: string, key: string) => {
      const tasks = await eventually(async () => {
        const { stdout } = await run(name, Quorum);
        expect(stdout).toMatch(new RegExp(`^${kind}\\t`, 'm'));
        return stdout;
      });
      const skipped = [...tasks.matchAll(/^vote\t/gm)].map(() => ['Vote:', ['s']] as const);
      const env = { ...quorum.as(name).env, CONCLAVE_QUORUM_MNEMONIC_FILE: quorum.phrases[name] };
      return await run(name, Quorum, [], { env, person: [...skipped, [question, [key]]] });
    };
    for (const name of ['ada', 'bob']) await acts(name, 'share', 'Share:', 'c');
    for (const [at, name] of ['bob', 'cyd'].entries()) {
      const confirmed = await acts(name, 'confirmation', 'New share:', 'f');
      expect(confirmed.stderr).toContain(`Your new share is confirmed: ${at + 1} of 2.`);
    }
    expect(await resharing).toMatchObject({ code: 0 });
    expect((await run('cyd', Show, [documentId, '--json'])).json()).toMatchObject({ generation: 2 });
    expect((await run('cyd', Quorum)).stdout).not.toMatch(/^(?:share|confirmation)\t/m);
  });
});

describe('a question that one key answers', () => {
  const asked = (input: PassThrough): Promise<string> => {
    const terminal = { stdin: input, stderr: { write: () => true } } as unknown as Terminal;
    return oneKey(terminal, 'Really?', { y: 'yes', n: 'no' });
  };

  it.each([
    ['y', 'y'],
    ['N', 'n'],
    // Of what was pasted the first key counts, and the rest decides nothing.
    ['ny', 'n'],
  ])('takes %j as %s', async (typed, key) => {
    const input = new PassThrough();
    const answer = asked(input);
    input.write(typed);
    expect(await answer).toBe(key);
  });

  it.each(['\u0003', '\u0004', undefined])('ends at %j', async (typed) => {
    const input = new PassThrough();
    const answer = asked(input);
    if (typed === undefined) input.end();
    else input.write(typed);
    await expect(answer).rejects.toBeInstanceOf(Cancelled);
  });
});
