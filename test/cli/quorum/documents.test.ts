import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Confirm from '../../../commands/quorum/confirm.ts';
import Contribute from '../../../commands/quorum/contribute.ts';
import Delete from '../../../commands/quorum/delete.ts';
import Documents from '../../../commands/quorum/documents.ts';
import Reshare from '../../../commands/quorum/reshare.ts';
import Seal from '../../../commands/quorum/seal.ts';
import Show from '../../../commands/quorum/show.ts';
import Unseal from '../../../commands/quorum/unseal.ts';
import Call from '../../../commands/call.ts';
import { eventually } from '../../support/eventually.ts';
import { openQuorumHome, type QuorumHome } from './quorum-home.ts';

const plan = '{"plan": "noon", "n": 12345678901234567890}';

describe('sealed documents on a server far away', () => {
  let quorum: QuorumHome;
  beforeAll(async () => {
    quorum = await openQuorumHome('url', ['ada', 'bob', 'cyd']);
  });
  afterAll(async () => await quorum[Symbol.asyncDispose]());

  const run: QuorumHome['run'] = async (...how) => await quorum.run(...how);
  const sealed = async (...argv: string[]): Promise<string> => {
    const file = await quorum.home.file('plan.json', plan);
    return (await run('ada', Seal, [file, '--json', ...argv])).json().documentId;
  };
  /** gives the shares of some, as soon as a session waits for them */
  const giving = async (...names: string[]) => {
    for (const name of names)
      await eventually(async () => {
        const given = await run(name, Contribute, ['--mnemonic-file', quorum.phrases[name]!, '--yes']);
        expect(given).toMatchObject({ code: 0 });
      });
  };

  it('are sealed for named members, listed and shown', async () => {
    const file = await quorum.home.file('plan.json', plan);
    const made = await run('ada', Seal, [file, '--member', 'ADA', '--member', 'bob@home.test', '--threshold', '2']);
    expect(made).toMatchObject({ code: 0 });
    const [, id] =
      /^Sealed ([0-9a-f]{32})\.\nAny 2 of (?:ada and bob|bob and ada) open it together\.\n$/.exec(made.stdout) ?? [];
    expect(made.stderr).toBe(`To open it, run: conclave quorum unseal ${id!.slice(0, 12)}\n`);
    const shown = await run('cyd', Show, [id!.slice(0, 16), '--json']);
    expect(shown.json()).toMatchObject({ id, sharesRequired: 2, holdersChanged: false });
    expect((await run('bob', Documents, [])).stdout).toContain(`${id}\t2 of 2\tsealed\t`);
    expect((await run('ada', Delete, [id!])).stderr).toContain('--yes');
    expect(await run('bob', Delete, [id!, '--yes'])).toMatchObject({ code: 5, stdout: '' });
    expect((await run('ada', Delete, [id!, '--yes'])).stdout).toBe(`Deleted ${id}.\n`);
    expect(await run('ada', Show, [id!])).toMatchObject({ code: 6 });
  });

  it('are refused with what to do', async () => {
    const text = await quorum.home.file('plan.txt', 'at noon');
    const noJson = await run('ada', Seal, [text]);
    expect([noJson.code, noJson.stderr]).toEqual([2, `Error: ${text} is not JSON. To seal it as text, add --text.\n`]);
    const nobody = await run('ada', Seal, [text, '--text', '--member', 'eve', '--member', 'bob']);
    expect([nobody.code, nobody.stderr]).toEqual([
      6,
      'Error: The quorum has no active member "eve". To list them, run: conclave quorum members list\n',
    ]);
    expect((await run('ada', Seal, [text, '--text', '--member', 'bob'])).stderr).toContain('2 to 255 members, not 1');
    expect((await run('ada', Seal, [text, '--text', '--threshold', '9'])).stderr).toContain('must be at least 2');
    const gone = await run('ada', Unseal, ['nonsense']);
    expect([gone.code, gone.stderr]).toEqual([
      6,
      'Error: There is no document "nonsense". To list them, run: conclave quorum documents\n',
    ]);
    const missing = await run('ada', Seal, [join(quorum.home.folder, 'nothing.json')]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('it does not exist')]);
    expect((await run('bob', Contribute, [])).stderr).toBe('Error: No session waits for your share.\n');
  });

  it('are opened by those who contribute, into a file for their owner alone', { tags: 'thorough' }, async () => {
    const id = await sealed('--threshold', '2');
    const out = join(quorum.home.folder, `out.json`);
    const opening = run('ada', Unseal, [id, '--out', out, '--reason', 'An audit']);
    await giving('bob');
    const again = await run('bob', Contribute, ['--mnemonic-file', quorum.phrases['bob']!, '--yes']);
    expect([again.code, again.stderr]).toEqual([6, 'Error: No session waits for your share.\n']);
    const other = await run('cyd', Contribute, ['--mnemonic-file', quorum.phrases['bob']!, '--yes']);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('recovery phrase of another member')]);
    expect(other.stderr).toContain('Asked by  ada, to open the document\nReason    An audit\nShares    1 of 2: bob\n');
    await giving('cyd');
    const opened = await opening;
    expect(opened).toMatchObject({ code: 0, stdout: `Opened ${id} into ${out}.\n` });
    expect(opened.stderr).toMatch(/bob has contributed\.\ncyd has contributed\.\n$/);
    expect(await readFile(out, 'utf8')).toBe(plan);
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    const twice = await run('ada', Unseal, [id, '--out', out]);
    expect([twice.code, twice.stderr]).toEqual([7, `Error: ${out} exists already. It was not changed.\n`]);
    const nowhere = await run('ada', Unseal, [id, '--out', '/nowhere/x']);
    expect([nowhere.code, nowhere.stderr]).toEqual([2, 'Error: /nowhere/x cannot be written: it does not exist.\n']);
    expect(await readdir(join(quorum.home.folder, 'ada', 'conclave', 'quorum'))).toEqual([]);
  });

  it('go to standard output as they are, or as the text that was sealed', { tags: 'soak' }, async () => {
    const file = await quorum.home.file('note.txt', 'two\nlines');
    const { documentId } = (await run('ada', Seal, [file, '--text', '--json'])).json();
    for (const [argv, text] of [
      [['--text'], 'two\nlines'],
      [[], '"two\\nlines"'],
    ] as const) {
      const opening = run('ada', Unseal, [documentId, ...argv]);
      await giving('bob', 'cyd');
      expect((await opening).stdout).toBe(text);
    }
  });

  it('end with the session that is cancelled', { tags: 'soak' }, async () => {
    const id = await sealed();
    const opening = run('ada', Unseal, [id]);
    const cancelled = await eventually(async () => {
      const answer = await run('ada', Unseal, [id, '--cancel', '--json']);
      expect(answer).toMatchObject({ code: 0 });
      return answer.json();
    });
    expect(cancelled).toEqual({ cancelled: expect.stringMatching(/^[0-9a-f]{32}$/) });
    const ended = await opening;
    expect([ended.code, ended.stderr]).toEqual([7, expect.stringContaining('The session was cancelled')]);
  });

  it('are shared anew, with a new key, once the new holders have confirmed', { tags: 'thorough' }, async () => {
    const id = await sealed('--member', 'ada', '--member', 'bob', '--threshold', '2');
    const resharing = run('ada', Reshare, [id, '--member', 'ada', '--member', 'bob', '--member', 'cyd', '--rekey']);
    await giving('ada', 'bob');
    for (const name of ['ada', 'cyd'])
      await eventually(async () => {
        const confirmed = await run(name, Confirm, ['--mnemonic-file', quorum.phrases[name]!, '--yes', '--json']);
        expect(confirmed).toMatchObject({ code: 0 });
      });
    const done = await resharing;
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain('State\tdone: the new shares count, and the old ones are erased\n');
    expect((await run('bob', Show, [id, '--json'])).json()).toMatchObject({ generation: 2, memberIds: { length: 3 } });
    expect((await run('ada', Reshare, [id, '--cancel'])).code).not.toBe(0);
  });

  it('say when a holder is no member any more', async () => {
    const id = await sealed('--member', 'ada', '--member', 'bob', '--member', 'cyd', '--threshold', '2');
    await run('root', Call, ['quorum.remove-member', `memberId=${quorum.ids['cyd']}`]);
    const shown = (await run('ada', Show, [id])).stdout;
    expect(shown).toContain('Former holders\tcyd\n');
    expect(shown).toContain(`To share it anew, run: conclave quorum reshare ${id.slice(0, 12)}`);
    expect((await run('ada', Documents, ['--holders-changed', 'true'])).stdout).toContain(
      `${id}\t2 of 3\tshare it anew`,
    );
  });
});
