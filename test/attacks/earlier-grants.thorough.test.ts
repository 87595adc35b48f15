import { describe, expect, it } from 'vitest';
import { LOGGED_ITEMS } from '../../src/base/log-fields.ts';
import { migrations } from '../../src/platform/store/migrations.ts';
import { poisonRow } from '../support/poison-row.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import { engines } from '../support/stores.ts';
import { openScene, type Scene } from '../services/filevault/scene.ts';
import { securityAlerts, upgraded as upgradedTo } from '../services/filevault/upgraded.ts';
import { runDueJobs } from '../services/quorum/due-jobs.ts';

const DAY = 86_400_000;
const forwarding = (name: string) => ({
  name,
  conditions: { from: 'bob' },
  actions: { forwardTo: [{ localPart: name, domain: 'other.example' }] },
});

async function appPassword({ house }: Scene, { token }: HouseMember, scope: string): Promise<void> {
  await house.api('POST', '/api/user/app-passwords', { token, body: { name: 'Program', scopes: [scope] } });
}

async function alerts(scene: Scene, member: HouseMember): Promise<string[]> {
  return (await securityAlerts(scene, member)).filter((content) => content.startsWith('Until now'));
}

const upgraded = async (scene: Scene) => await upgradedTo(scene, 'earlier-grants', 'filevault', 'mail');

/** The lines of the log, in its order. */
const toldOf = ({ house }: Scene) =>
  house.log.lines
    .filter(({ message }) => message === 'app passwords may have granted this before the upgrade')
    .map(({ memberId, granted }) => ({ memberId, granted: granted as readonly string[] }));

const jobs = async ({ house }: Scene) =>
  await house.ctx.db.selectFrom('jobs').select('id').where('kind', 'like', '%-earlier-grants').execute();

describe.each(engines)('what app passwords may have granted before the upgrade, on %s', (engine) => {
  it('is told once to each who had one, as far as it is in force and was made since', async () => {
    await using scene = await openScene(engine);
    const { house, owner, get } = scene;
    const bob = await house.register();
    const [id, other] = [await scene.file('one'), await scene.file('two')];
    const link = async () => (await get('POST', '/share/link', { fileId: id, mode: 'server_proxied' })).id as string;
    const share = async (fileId: string) =>
      (await get('POST', '/share/internal', { fileId, recipientId: bob.memberId, permissionLevel: 'viewer' })).shareId;
    await share(other);
    await link();
    const put = async ({ token }: HouseMember, rules: readonly object[]) =>
      await house.api('PUT', '/api/emails/rules', { token, body: { rules } });
    await put(bob, [forwarding('old')]);
    house.clock.advance(1_000);
    const day = new Date(house.clock.now()).toISOString().slice(0, 10);
    for (const each of [owner, bob]) await appPassword(scene, each, 'files');
    await appPassword(scene, owner, 'mail');
    house.clock.advance(1_000);
    await appPassword(scene, bob, 'mail');
    const [shared, kept, revoked] = [await share(id), await link(), await link()];
    await get('DELETE', `/share/link/${revoked}`);
    await put(owner, [
      forwarding('carol'),
      { name: 'label', conditions: { from: 'a' }, actions: { addLabels: ['a'] } },
    ]);
    house.clock.advance(DAY);
    await upgraded(scene);
    const rules = await house.ctx.db
      .selectFrom('mail_rules')
      .select('id')
      .where('member_id', '=', owner.memberId)
      .orderBy('place')
      .execute();
    const all = `Nobody knows what was done with one, so this is all since your first on ${day} that is in force`;
    expect((await alerts(scene, owner)).toSorted()).toEqual([
      `Until now app passwords could make rules that forward mail. ${all}: rule ${rules[0]?.id} to carol@other.example. Remove those that you do not know, and the app password.`,
      `Until now app passwords could share files and make links. ${all}: share ${shared} of ${id} with ${bob.username} (viewer); link ${kept} to ${id}. End those that you do not know, and remove the app password.`,
    ]);
    expect(await alerts(scene, bob)).toEqual([]);
    expect(toldOf(scene)).toEqual([
      { memberId: owner.memberId, granted: [`share ${shared} of ${id} with ${bob.username} (viewer)`] },
      { memberId: owner.memberId, granted: [`link ${kept} to ${id}`] },
      { memberId: owner.memberId, granted: [`rule ${rules[0]?.id} to carol@other.example`] },
    ]);
    expect(await jobs(scene)).toEqual([]);
  });

  it('is told to the others when one of them can not be told, and goes on where a step ended', async () => {
    await using scene = await openScene(engine);
    const { house } = scene;
    const members: HouseMember[] = [];
    for (let count = 0; count < 23; count += 1) members.push(await house.register());
    for (const member of members) {
      await appPassword(scene, member, 'mail');
      await house.api('PUT', '/api/emails/rules', { token: member.token, body: { rules: [forwarding('carol')] } });
    }
    const [bad, ...others] = members.toSorted((a, b) => (a.memberId < b.memberId ? -1 : 1));
    await poisonRow(house.ctx.store, 'notifications', 'insert', `new.recipient_id = '${bad!.memberId}'`);
    await upgraded(scene);
    for (let tries = 0; tries < 6 && (await jobs(scene)).length > 0; tries += 1) {
      house.clock.advance(DAY / 24);
      await runDueJobs(scene, 'mail');
    }
    const counts = await Promise.all(others.map(async (member) => (await alerts(scene, member)).length));
    expect(counts).toEqual(others.map(() => 1));
    expect(await alerts(scene, bad!)).toEqual([]);
    expect(await jobs(scene)).toEqual([]);
    expect(house.log.lines.findLast(({ level }) => level === 'error')?.['message']).toMatch(/the others go on/);
  });

  it('is read and logged in pages, and the member is told of the first and how many there are', async () => {
    await using scene = await openScene(engine);
    const { owner, get, house } = scene;
    await appPassword(scene, owner, 'files');
    const fileId = await scene.file('one');
    await get('POST', '/share/link', { fileId, mode: 'server_proxied' });
    const { db } = house.ctx;
    const row = await db.selectFrom('file_links').selectAll().executeTakeFirstOrThrow();
    // Two pages of what is read, and one more.
    const most = 1_001;
    const names = Array.from({ length: most - 1 }, (_, number) => `copy-${String(number).padStart(5, '0')}`);
    for (let at = 0; at < names.length; at += 50) {
      const copies = names.slice(at, at + 50).map((id) => Object.assign({}, row, { id, token_hash: id }));
      await db.insertInto('file_links').values(copies).execute();
    }
    await upgraded(scene);
    const told = toldOf(scene);
    expect(told.map(({ granted }) => granted.length)).toEqual([...Array(20).fill(LOGGED_ITEMS), 1]);
    const granted = told.flatMap((line) => line.granted);
    expect(granted).toEqual([row.id, ...names].toSorted().map((id) => `link ${id} to ${fileId}`));
    const [alert] = await alerts(scene, owner);
    expect(alert).toContain(
      `: ${granted.slice(0, 20).join('; ')}; and ${most - 20} more, which the log of the server has. End those`,
    );
  });

  it('is logged whole of what is stored together, too', async () => {
    await using scene = await openScene(engine);
    const { owner, house } = scene;
    await appPassword(scene, owner, 'mail');
    const rules = Array.from({ length: LOGGED_ITEMS + 10 }, (_, number) => forwarding(`carol-${number}`));
    await house.api('PUT', '/api/emails/rules', { token: owner.token, body: { rules } });
    await upgraded(scene);
    const stored = await house.ctx.db.selectFrom('mail_rules').select('id').orderBy('place').execute();
    const told = toldOf(scene);
    expect(told.map(({ granted }) => granted.length)).toEqual([LOGGED_ITEMS, 10]);
    expect(told.flatMap(({ granted }) => granted)).toEqual(
      stored.map(({ id }, number) => `rule ${id} to carol-${number}@other.example`),
    );
  });

  it('is nothing where there is no app password', async () => {
    await using scene = await openScene(engine);
    await migrations.find(({ name }) => name === 'earlier-grants')?.up(scene.house.ctx.db, {} as never);
    expect(await jobs(scene)).toEqual([]);
  });
});
