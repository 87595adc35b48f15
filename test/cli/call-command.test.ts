import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Call from '../../commands/call.ts';
import Login from '../../commands/login.ts';
import { openHome, rootPassword, type Home } from './home.ts';

describe('conclave call', () => {
  let home: Home;
  beforeAll(async () => {
    home = await openHome('socket');
    await home.run(Login, ['root'], { env: { CONCLAVE_PASSWORD: rootPassword } });
  });
  afterAll(async () => await home[Symbol.asyncDispose]());

  it('lists every operation', async () => {
    const list = (await home.run(Call, ['--list', '--json'])).json() as { id: string }[];
    expect(list).toContainEqual(
      expect.objectContaining({ id: 'account.verify', method: 'GET', path: '/api/user/verify', auth: 'member' }),
    );
  });

  it('takes values as name=value, by the type of each', async () => {
    const argv = ['account.update-settings', 'darkMode=true', 'currency=EUR'];
    expect((await home.run(Call, argv)).json().user).toMatchObject({ darkMode: true, currency: 'EUR' });
    const profile = await home.run(Call, [
      'account.update-profile',
      'settings.minRedundancy=4',
      'preferred-regions=eu,us',
    ]);
    expect(profile.json().data.profile.settings).toMatchObject({ minRedundancy: 4, preferredRegions: ['eu', 'us'] });
    expect((await home.run(Call, ['members.list', 'limit=1'])).json().members).toHaveLength(1);
  });

  it('leaves out a group of which nothing is given', async () => {
    const argv = ['calendar.create-event', 'summary=Lunch', 'dtstart=2026-03-30T12:00:00', 'tzid=Europe/Berlin'];
    const { event } = (await home.run(Call, argv)).json();
    expect(event).toMatchObject({ summary: 'Lunch', start: '2026-03-30T10:00:00.000Z' });
    expect(event).not.toHaveProperty('conference');
    const call = ['conference.type=url', 'conference.uri=https://meet.example/1'];
    expect((await home.run(Call, [...argv, ...call])).json().event.conference).toEqual({
      type: 'url',
      uri: 'https://meet.example/1',
    });
  });

  it('takes JSON from an argument, a file and standard input, later ones over earlier ones', async () => {
    const file = await home.file('input.json', '{"currency":"CHF","darkMode":false}');
    const run = await home.run(Call, [
      'account.update-settings',
      '--input-file',
      file,
      '--input',
      '{"darkMode":true}',
      'timezone=Asia/Tokyo',
    ]);
    expect(run.json().user).toMatchObject({ currency: 'CHF', darkMode: true, timezone: 'Asia/Tokyo' });
    const stdin = JSON.stringify({ username: 'root', password: rootPassword });
    const login = await home.run(Call, ['account.login', '--input-file', '-'], { stdin });
    expect(login.json().data).toMatchObject({ energyBalance: 1000 });
  });

  it('takes secrets from variables, and from no argument', async () => {
    expect(
      await home.run(Call, ['account.login', 'username=root'], { env: { CONCLAVE_PASSWORD: rootPassword } }),
    ).toMatchObject({ code: 0 });
    for (const argv of [['password=hunter2'], ['--input', '{"password":"hunter2"}']]) {
      const run = await home.run(Call, ['account.login', 'username=root', ...argv]);
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).not.toContain('hunter2');
    }
  });

  it('streams what is not JSON', async () => {
    const document = JSON.parse((await home.run(Call, ['reference.document'])).stdout) as { openapi: string };
    expect(document.openapi).toMatch(/^3\.1/);
  });

  it.each([
    [['account.verfy'], 6, 'account.verify|--list'],
    [['verify'], 6, 'account\\.verify'],
    [[], 2, '--list'],
    [['account.login', 'username'], 2, 'name=value'],
    [['account.login', 'user=root'], 2, 'It accepts username, password'],
    [['account.login', '--input', '[1]'], 2, 'JSON object'],
    [['account.login', '--input', '{'], 2, 'not JSON'],
    [['account.login', '--input-file', '/nowhere/at/all'], 2, 'cannot be read'],
    [['account.login'], 2, 'username: is missing. Give it with username=…'],
    [['members.show', 'memberId=..'], 6, 'nothing with this name'],
    [['account.update-settings', 'darkMode=maybe'], 2, 'darkMode'],
  ])('%j is exit %i', async (argv, code, said) => {
    const run = await home.run(Call, argv);
    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toMatch(new RegExp(said));
  });
});
