import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Register from '../../commands/account/register.ts';
import Add from '../../commands/vault/add.ts';
import Create from '../../commands/vault/create.ts';
import Edit from '../../commands/vault/edit.ts';
import GitCredential from '../../commands/vault/git-credential.ts';
import { openHome, type Home } from '../cli/home.ts';
import { programPath } from '../support/program.ts';

const hasGit = (await execa('git', ['--version'], { reject: false })).exitCode === 0;

describe('a password for one place', () => {
  let home: Home;
  beforeAll(async () => {
    home = await openHome('socket');
    await home.run(Register, ['--username', 'alice', '--email', 'alice@home.test'], {
      env: { CONCLAVE_PASSWORD: 'a long enough secret' },
    });
    await home.run(Create, ['Work'], { env: { CONCLAVE_MASTER_PASSWORD: 'twelve green bottles hanging' } });
    const add = async (name: string, stdin: string, ...more: string[]) =>
      expect(await home.run(Add, [`Work/${name}`, ...more, 'password[file]=-'], { stdin })).toMatchObject({ code: 0 });
    await add('GitHub', 'of github', 'username=alice', 'url=https://github.com');
    await add('Forge', 'of forge', 'username=bob', 'url=https://forge.example:8443');
    await add('Repository', 'of one', 'username=carol', 'url=https://deep.example/team/one.git');
    await add('Old', 'of old', 'username=dave', 'url=https://old.example');
    await home.run(Edit, ['Work/Old', 'archived=yes']);
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  const ask = async (action: string, lines: string) =>
    await home.run(GitCredential, [action], { stdin: `${lines}\n\n` });
  const said = (host: string, more = '') => `protocol=https\nhost=${host}${more}`;

  it.each([
    ['its host', said('github.com'), 'username=alice\npassword=of github\n'],
    ['its host and user', said('github.com', '\nusername=alice'), 'username=alice\npassword=of github\n'],
    ['its port', said('forge.example:8443'), 'username=bob\npassword=of forge\n'],
    ['its path', said('deep.example', '\npath=team/one.git'), 'username=carol\npassword=of one\n'],
    ['no path', said('deep.example'), 'username=carol\npassword=of one\n'],
  ])('is given for %s', async (_, lines, answer) => {
    expect(await ask('get', lines)).toMatchObject({ code: 0, stdout: answer, stderr: '' });
  });

  it.each([
    ['a host below it', said('gist.github.com')],
    ['a host above it', said('com')],
    ['another port', said('github.com:8443')],
    ['the usual port, where it has another', said('forge.example')],
    ['another user', said('github.com', '\nusername=mallory')],
    ['a user in another case', said('github.com', '\nusername=Alice')],
    ['another path', said('deep.example', '\npath=team/two.git')],
    ['http', 'protocol=http\nhost=github.com'],
    ['a host with a slash', said('github.com/.evil.com')],
    ['a host with a #', said('github.com#.evil.com')],
    ['a host with a ?', said('github.com?.evil.com')],
    ['a host with a backslash', said('github.com\\.evil.com')],
    ['a host with a user', said('github.com@evil.com')],
    ['a host with a tab', said('github.com\t.evil.com')],
    ['a host that only looks so', said('ｇｉｔｈｕｂ.com')],
    ['an entry that is archived', said('old.example')],
  ])('is not given, changed or taken away for %s', async (_, lines) => {
    for (const action of ['get', 'erase']) expect(await ask(action, lines)).toMatchObject({ code: 0, stdout: '' });
    expect((await ask('get', said('github.com'))).stdout).toBe('username=alice\npassword=of github\n');
  });

  it.skipIf(!hasGit)('is what git itself gets, and what a neighbour does not', { tags: 'needs-program' }, async () => {
    const git = async (url: string, ...options: string[]) =>
      await execa(
        'git',
        [
          '-c',
          'credential.helper=',
          '-c',
          `credential.helper=!'${programPath}' vault git-credential`,
          ...options,
          'credential',
          'fill',
        ],
        {
          input: `url=${url}\n\n`,
          env: { ...home.env, PATH: process.env['PATH'], GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' },
          extendEnv: false,
          cwd: home.folder,
          reject: false,
        },
      );
    expect((await git('https://github.com/any/repo.git')).stdout).toContain('password=of github');
    for (const url of [
      'https://gist.github.com/a',
      'https://github.com:8443/a',
      'https://mallory@github.com/a',
      'http://github.com/a',
    ]) {
      const { exitCode, stdout } = await git(url);
      expect({ url, exitCode, stdout }).toEqual({ url, exitCode: 128, stdout: '' });
    }
    const byPath = ['-c', 'credential.useHttpPath=true'];
    expect((await git('https://deep.example/team/one.git', ...byPath)).stdout).toContain('password=of one');
    expect(await git('https://deep.example/team/two.git', ...byPath)).toMatchObject({ exitCode: 128, stdout: '' });
  });
});
