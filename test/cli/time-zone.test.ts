import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Settings from '../../commands/account/settings.ts';
import Profile from '../../commands/account/profile.ts';
import Members from '../../commands/admin/members/list.ts';
import Call from '../../commands/call.ts';
import Login from '../../commands/login.ts';
import Add from '../../commands/vault/add.ts';
import Create from '../../commands/vault/create.ts';
import Vault from '../../commands/vault.ts';
import Whoami from '../../commands/whoami.ts';
import { moment, screenOf } from '../../src/cli/kit/screen.ts';
import { openHome, rootPassword, type Home } from './home.ts';
import { keys } from './run-command.ts';

const terminalOf = (isTTY: boolean) => ({ stdout: { isTTY, columns: 80 }, env: {} }) as never;
const person = [] as const;
const master = { CONCLAVE_MASTER_PASSWORD: 'twelve green bottles hanging' };

describe('a moment on a terminal', () => {
  const at = (zone: string | undefined, iso: string) => moment(screenOf(terminalOf(true), zone), iso);

  it.each([
    ['Asia/Kathmandu', '2026-01-02T22:04:05.678Z', '2026-01-03 03:49'],
    ['Europe/Vienna', '2026-03-29T00:59:00Z', '2026-03-29 01:59'],
    ['Europe/Vienna', '2026-03-29T01:00:00Z', '2026-03-29 03:00'],
    ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', '2027-01-01 00:00'],
    ['Etc/UTC', '2026-01-02T00:04:05Z', '2026-01-02 00:04'],
  ])('is, in %s, for %s: %s', (zone, iso, shown) => {
    expect(at(zone, iso)).toBe(shown);
  });

  it('is in the zone of the machine where there is no other, or one that is not known here', () => {
    const iso = '2026-07-02T22:04:05.678Z';
    const date = new Date(iso);
    const here = `${date.getFullYear()}-07-${String(date.getDate()).padStart(2, '0')} ${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`;
    expect(at(undefined, iso)).toBe(here);
    expect(at('Moon/Tranquility', iso)).toBe(here);
    expect(at('Asia/Tokyo', 'yesterday')).toBe('yesterday');
  });

  it('is exact and in UTC where nobody reads it', () => {
    const iso = '2026-01-02T22:04:05.678Z';
    expect(moment(screenOf(terminalOf(false), 'Asia/Tokyo'), iso)).toBe(iso);
  });
});

describe('times of an account', () => {
  let home: Home;
  let registered: string;
  const signIn = async () => await home.run(Login, ['root'], { env: { CONCLAVE_PASSWORD: rootPassword } });
  const elsewhere = async (timezone: string) => {
    const env = { XDG_CONFIG_HOME: join(home.folder, 'elsewhere'), CONCLAVE_PASSWORD: rootPassword };
    await home.run(Login, ['root'], { env });
    expect(await home.run(Call, ['account.update-settings', `timezone=${timezone}`], { env })).toMatchObject({
      code: 0,
    });
  };
  const shown = async () => (await home.run(Profile, [], { person })).stdout;
  const inZone = (zone: string | undefined) => moment(screenOf(terminalOf(true), zone), registered);
  beforeAll(async () => {
    // Over the network there is no operator.
    home = await openHome('url');
    await signIn();
    registered = (await home.run(Profile, ['--json'])).json().createdAt;
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  it('are those of the machine until the account has a zone', async () => {
    expect(await shown()).toContain(inZone(undefined));
  });

  it('are in the zone of the account from then on, on a terminal alone', async () => {
    const run = await home.run(Settings, ['--timezone', 'Asia/Kathmandu']);
    expect(run).toMatchObject({ code: 0 });
    expect(inZone('Asia/Kathmandu')).not.toBe(inZone('Pacific/Kiritimati'));
    expect(await shown()).toContain(inZone('Asia/Kathmandu'));
    expect((await home.run(Profile)).stdout).toContain(registered);
    expect((await home.run(Profile, ['--json'], { person })).json().createdAt).toBe(registered);
  });

  it('follow what was set by the operation itself', async () => {
    const set = async (zone: string, ...argv: string[]) => {
      expect(await home.run(Call, ['account.update-settings', ...argv])).toMatchObject({ code: 0 });
      expect(await shown()).toContain(inZone(zone));
    };
    await set('Pacific/Kiritimati', 'timezone=Pacific/Kiritimati');
    await set('Pacific/Kiritimati', 'darkMode=true');
    await set('Asia/Kathmandu', '--input', '{"timezone":"Asia/Kathmandu"}');
    expect(await home.run(Call, ['account.update-settings', 'timezone=Mars/Olympus'])).toMatchObject({ code: 2 });
    expect(await shown()).toContain(inZone('Asia/Kathmandu'));
  });

  it('follow what was set elsewhere, as whoami and a sign-in find out', async () => {
    await elsewhere('Pacific/Kiritimati');
    await home.run(Whoami);
    expect(await shown()).toContain(inZone('Pacific/Kiritimati'));
    await elsewhere('Asia/Kathmandu');
    expect(await signIn()).toMatchObject({ code: 0 });
    expect(await shown()).toContain(inZone('Asia/Kathmandu'));
  });

  it('are in the zone of the account for its administrator, and of the machine for the operator', async () => {
    const [member] = (await home.run(Members, ['--json'])).json().members as { lastLogin: string }[];
    const lastLogin = (zone: string | undefined) => moment(screenOf(terminalOf(true), zone), member!.lastLogin);
    expect((await home.run(Members, [], { person })).stdout).toContain(lastLogin('Asia/Kathmandu'));
    const env = { CONCLAVE_PASSWORD: rootPassword };
    await home.operate(Login, ['root'], { env });
    await home.operate(Settings, ['--timezone', 'Asia/Kathmandu']);
    const local = (await home.operate(Members, ['--json'])).json().members as { lastLogin: string }[];
    const own = moment(screenOf(terminalOf(true)), local[0]!.lastLogin);
    expect((await home.operate(Members, [], { person })).stdout).toContain(own);
  });

  it('are not those of another account, whose token is given', async () => {
    const env = { CONCLAVE_PASSWORD: rootPassword };
    const token = (await home.run(Login, ['root', '--print-token'], { env })).stdout.trim();
    const path = join(home.folder, 'config/conclave/sign-ins.json');
    expect(await readFile(path, 'utf8')).toContain('Asia/Kathmandu');
    const as = { env: { CONCLAVE_TOKEN: token }, person };
    expect((await home.run(Profile, [], as)).stdout).toContain(inZone('Asia/Kathmandu'));
    const argv = ['--username', 'bob', '--email', 'bob@home.test'];
    const other = { XDG_CONFIG_HOME: join(home.folder, 'bob'), ...env };
    const { default: Register } = await import('../../commands/account/register.ts');
    await home.run(Register, argv, { env: other });
    const bobs = (await home.run(Login, ['bob', '--print-token'], { env: other })).stdout.trim();
    const profile = (await home.run(Profile, ['--json'], { env: { CONCLAVE_TOKEN: bobs } })).json();
    const seen = (await home.run(Profile, [], { env: { CONCLAVE_TOKEN: bobs }, person })).stdout;
    expect(seen).toContain(moment(screenOf(terminalOf(true)), profile.createdAt));
    expect(seen).not.toContain(moment(screenOf(terminalOf(true), 'Asia/Kathmandu'), profile.createdAt));
  });

  it('are in its zone where somebody looks around in their vaults', async () => {
    await home.run(Create, ['Work'], { env: master });
    const added = await home.run(Add, ['Work/db', 'password[file]=-', '--json'], { stdin: 'correct horse battery' });
    const { updatedAt } = added.json().entry;
    const looking = [
      ['lock and quit', ''],
      ['copy password', [keys.down, keys.enter]],
      ['Enter goes back', ''],
      ['lock and quit', undefined],
    ] as const;
    const run = await home.run(Vault, [], { person: looking });
    expect(run.stderr).toContain(moment(screenOf(terminalOf(true), 'Asia/Kathmandu'), updatedAt));
  });

  it('are of the machine again for who goes back to UTC, which is what an account has that never chose', async () => {
    await home.run(Settings, ['--timezone', 'utc']);
    expect(await shown()).toContain(inZone(undefined));
    await home.run(Settings, ['--timezone', 'Etc/UTC']);
    expect(await shown()).toContain(inZone('Etc/UTC'));
  });
});
