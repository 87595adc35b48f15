import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Cat from '../../commands/files/cat.ts';
import Create from '../../commands/files/create.ts';
import Destroy from '../../commands/files/destroy.ts';
import Proof from '../../commands/files/proof.ts';
import Put from '../../commands/files/put.ts';
import Verify from '../../commands/files/verify.ts';
import Head from '../../commands/ledger/head.ts';
import Login from '../../commands/login.ts';
import { fileProofVectors } from '../crypto/formats/file-proofs/vectors.ts';
import { temporaryFolder } from '../support/stores.ts';
import { openHome } from './home.ts';
import { runCommand } from './run-command.ts';

const env = { CONCLAVE_PASSWORD: 'seven green bottles' };

describe('conclave files proof and verify', () => {
  it('make proofs of a server, and check them without one', async () => {
    await using home = await openHome('url');
    await home.run(Register, ['--username', 'ada', '--email', 'ada@example.org'], { env });
    await home.run(Login, ['ada'], { env });
    await home.run(Create, ['Work']);
    const [sealed, opened] = [await home.file('sealed.txt', 'sealed'), await home.file('opened.txt', 'opened')];
    await home.run(Put, [sealed, opened, 'Work:']);
    await home.run(Cat, ['Work:/opened.txt']);
    const [path, entries] = [join(home.folder, 'sealed.proof'), join(home.folder, 'all.entries')];
    const made = await home.run(Proof, ['Work:/sealed.txt', '--out', path, '--entries', entries]);
    const { logKey } = (await home.run(Head, ['--json'])).json();
    expect([made.code, made.stdout, made.stderr]).toEqual([
      0,
      '',
      `The file was never opened. The proof is in ${path}. Log key: ${logKey}\n`,
    ]);
    expect((await home.run(Proof, ['Work:/sealed.txt', '--out', path])).code).toBe(7);
    expect((await home.run(Proof, ['Work:/opened.txt'])).stderr).toContain('there is no proof that it was not');

    // Nothing of the home is needed from here on.
    await using elsewhere = await temporaryFolder();
    const verify = async (...argv: string[]) =>
      await runCommand(Verify, argv, {
        env: { HOME: elsewhere.path, CONCLAVE_DATA_DIR: join(elsewhere.path, 'none') },
      });
    const first = await verify(path);
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('The log key is not verified')]);
    expect(first.stdout).toMatch(/^Valid: the file was not opened[^]*Proven:[^]*Not proven:[^]*That nobody read/);
    for (const source of [entries, home.ready?.url ?? '']) {
      const audited = await verify(path, '--node-key', logKey, '--entries', source, '--json');
      expect([audited.code, audited.stderr]).toEqual([0, '']);
      expect(audited.json()).toMatchObject({ verdict: 'valid', kind: 'non-access', trust: 'pinned' });
      expect(audited.json().checks).toContainEqual({
        name: 'accesses',
        ok: true,
        detail: 'the filter has the 1 accessed files of the container, and nothing else',
      });
    }
    const text = await readFile(path, 'utf8');
    const wrong = await home.file('wrong.proof', text.replace('non-access', 'non-excess'));
    expect(await verify(wrong)).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Not valid:[^]*Not proven:/) });
    expect((await verify(wrong, '--json')).json()).toMatchObject({
      verdict: 'invalid',
      proven: [],
      notProven: ['Anything.'],
    });
    expect((await verify(join(home.folder, 'none.proof'))).code).toBe(2);
    const short = await home.file(
      'short.entries',
      (await readFile(entries, 'utf8')).split('\n').slice(0, 2).join('\n'),
    );
    expect(await verify(path, '--entries', short)).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^Not decided:[^]*The entries end at 2\./),
    });

    const { proof, fileId } = (await home.run(Destroy, ['Work:/opened.txt', '--yes', '--json'])).json();
    const certificate = join(home.folder, 'opened.certificate');
    const asked = await home.run(Proof, [fileId, '--out', certificate]);
    expect(asked.stderr).toContain('The file was destroyed.');
    const checked = await verify(certificate, '--node-key', logKey);
    expect([checked.code, checked.stderr]).toEqual([0, '']);
    expect(checked.stdout).toMatch(/^Valid: the file was destroyed[^]*That no copy of the erasure keys is left/);
    expect(JSON.parse(await readFile(certificate, 'utf8')).proof).toEqual(proof);
  });

  it('tell a receipt that contradicts a proof from one that does not, and need witnesses where a policy does', async () => {
    await using folder = await temporaryFolder();
    const { nonAccess, receipt, key, destruction } = await fileProofVectors();
    const write = async (name: string, text: string) => {
      const path = join(folder.path, name);
      await writeFile(path, text);
      return path;
    };
    const path = await write('file.proof', nonAccess);
    const verify = async (...argv: string[]) => await runCommand(Verify, argv, { env: { HOME: folder.path } });
    expect((await verify(path, '--receipt', receipt)).code).toBe(0);
    expect((await verify(path, '--receipt', await write('receipt', receipt))).code).toBe(0);
    expect((await verify(path, '--receipt', receipt.slice(0, -1))).code).toBe(2);
    expect((await verify(await write('other.proof', destruction), '--receipt', receipt)).code).toBe(2);
    const policy = await write(
      'policy',
      'witness w conclave/839e/witness+5f2a77b1+BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nquorum w\n',
    );
    expect((await verify(path, '--witness-policy', policy)).stderr).toContain('The policy of witnesses is wrong');
    const none = await write('none', `log ${key}\nquorum none\n`);
    expect(await verify(path, '--witness-policy', none)).toMatchObject({ code: 0, stderr: '' });
  });
});
