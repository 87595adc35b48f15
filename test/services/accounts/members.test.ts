import { describe, expect, it } from 'vitest';
import { operatorId } from '../../../src/service/actor.ts';
import { accounts } from '../../../src/contract/accounts.ts';
import { members } from '../../../src/contract/accounts/members.ts';
import { directAnswer } from '../../support/member-key.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

describe.each(engines)('members, for administrators, on %s', (engine) => {
  it('are closed to everyone else, on every operation', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    const alice = await house.register();
    for (const operation of Object.values(members)) {
      if (operation.localOnly === true) continue;
      const input = { memberId: boss.memberId };
      expect([operation.id, (await house.perform(operation, input as never, alice.token)).status]).toEqual([
        operation.id,
        403,
      ]);
      expect([operation.id, (await house.perform(operation, input as never)).status]).toEqual([operation.id, 401]);
    }
    expect((await house.perform(members.show, { memberId: boss.memberId }, boss.token)).body.member).toMatchObject({
      type: 'Admin',
      status: 'active',
    });
  });

  it('are listed page by page, the oldest first, each exactly once', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    const expected = [boss.memberId];
    for (let index = 0; index < 6; index++) {
      // Some in the same millisecond, so that the id decides.
      if (index % 3 === 0) house.clock.advance(1);
      expected.push((await house.register()).memberId);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await house.perform(
        members.list,
        { limit: 2, ...(cursor !== undefined && { cursor }) },
        boss.token,
      );
      seen.push(...body.members.map((member: { id: string }) => member.id));
      expect(body.hasMore).toBe(body.cursor !== undefined);
      cursor = body.cursor;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(7);
    expect(seen.toSorted()).toEqual(expected.toSorted());
    expect(seen[0]).toBe(boss.memberId);
  });

  it('refuse a cursor that was tampered with', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    await house.register();
    const { cursor } = (await house.perform(members.list, { limit: 1 }, boss.token)).body;
    const changed = (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1);
    for (const bad of [`${cursor}A`, cursor.slice(1), changed, 'nonsense']) {
      const answer = await house.perform(members.list, { cursor: bad }, boss.token);
      expect(answer).toMatchObject({ status: 400, body: { error: 'INVALID_CURSOR' } });
    }
  });

  it('are found by part of a name or address, the start of an id, type and status', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator('The_Boss');
    const alice = await house.register({ username: 'Alice', email: 'a100%@example.org' });
    const bob = await house.register({ username: 'bob_by', email: 'b@Example.com' });
    await house.perform(members.suspend, { memberId: bob.memberId }, boss.token);
    const find = async (filter: object) =>
      (await house.perform(members.list, filter, boss.token)).body.members.map(
        (member: { username: string }) => member.username,
      );
    expect(await find({ query: 'LIC' })).toEqual(['Alice']);
    expect(await find({ query: 'example.com' })).toEqual(['bob_by']);
    expect(await find({ query: '0%' })).toEqual(['Alice']);
    expect(await find({ query: 'b_b' })).toEqual(['bob_by']);
    expect(await find({ query: 'l_ce' })).toEqual([]);
    expect(await find({ query: '\\' })).toEqual([]);
    expect(await find({ query: "' or 1=1 --" })).toEqual([]);
    expect(await find({ query: alice.memberId.slice(0, 10) })).toEqual(['Alice']);
    expect(await find({ type: 'Admin' })).toEqual(['The_Boss']);
    expect(await find({ status: 'suspended' })).toEqual(['bob_by']);
    expect(await find({ status: 'suspended', query: 'alice' })).toEqual([]);
  });

  it('show what an administrator needs and no secret', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    const alice = await house.register();
    await house.signIn(alice);
    const { status, body } = await house.perform(members.show, { memberId: alice.memberId.toUpperCase() }, boss.token);
    expect(status).toBe(200);
    expect(body.member).toEqual({
      id: alice.memberId,
      username: alice.username,
      email: alice.email,
      emailVerified: false,
      type: 'User',
      status: 'active',
      publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
      createdAt: '2026-01-15T12:00:00.000Z',
      lastLogin: '2026-01-15T12:00:00.000Z',
      sessions: 2,
    });
  });

  it('that do not exist are 404 for every operation', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    const memberId = 'f'.repeat(24);
    for (const operation of [
      members.show,
      members.promote,
      members.confirmEmail,
      members.demote,
      members.suspend,
      members.restore,
      members.sessions,
      members.endSessions,
    ]) {
      const answer = await house.perform(operation, { memberId }, boss.token);
      expect([operation.id, answer.status, answer.body.error]).toEqual([operation.id, 404, 'MEMBER_NOT_FOUND']);
    }
  });

  it('can be promoted and demoted, at once and by a name that stays', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    const alice = await house.register();
    const role = async () => (await house.perform(accounts.verify, {}, alice.token)).body.user.roles[0];
    const before = await role();
    house.clock.advance(60_000);
    const promoted = await house.perform(members.promote, { memberId: alice.memberId }, boss.token);
    expect(promoted).toMatchObject({ status: 200, body: { member: { type: 'Admin' } } });
    expect((await house.perform(members.list, {}, alice.token)).status).toBe(200);
    const after = await role();
    expect(after).toMatchObject({
      name: 'Admin',
      admin: true,
      createdAt: before.createdAt,
      updatedAt: '2026-01-15T12:01:00.000Z',
      updatedBy: boss.memberId,
    });
    house.clock.advance(60_000);
    // A second time changes nothing.
    await house.perform(members.promote, { memberId: alice.memberId }, boss.token);
    expect(await role()).toEqual(after);
    expect((await house.perform(members.demote, { memberId: alice.memberId }, boss.token)).body.member.type).toBe(
      'User',
    );
    expect((await house.perform(members.list, {}, alice.token)).status).toBe(403);
  });

  it('when suspended lose sessions and sockets at once and come in by no way, until they are restored', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    const alice = await house.register();
    const { username, email, password, mnemonic, memberId } = alice;
    const second = await house.signIn(alice);
    const signed = await directAnswer(house, alice);
    const { sessions } = (await house.perform(members.sessions, { memberId }, boss.token)).body;
    expect(sessions).toMatchObject([{ current: false }, { current: false }]);

    const suspended = await house.perform(members.suspend, { memberId }, boss.token);
    expect(suspended).toMatchObject({ status: 200, body: { member: { status: 'suspended', sessions: 0 } } });
    expect(house.endedSockets.toSorted()).toEqual(sessions.map((session: { id: string }) => session.id).toSorted());
    for (const token of [alice.token, second])
      expect((await house.perform(accounts.verify, {}, token)).status).toBe(401);
    const ways = [
      () => house.perform(accounts.login, { username, password }),
      () => house.perform(accounts.directChallenge, signed),
      () => house.perform(accounts.recover, { email, mnemonic, newPassword: 'a different thing' }),
    ];
    for (const way of ways) expect(await way()).toMatchObject({ status: 401, body: { error: 'INVALID_CREDENTIALS' } });

    expect((await house.perform(members.restore, { memberId }, boss.token)).body.member.status).toBe('active');
    expect((await house.perform(accounts.verify, {}, alice.token)).status).toBe(401);
    for (const way of ways.slice(0, 2)) expect((await way()).status).toBe(200);
  });

  it('can be signed out everywhere', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    const alice = await house.register();
    await house.signIn(alice);
    expect((await house.perform(members.endSessions, { memberId: alice.memberId }, boss.token)).body.ended).toBe(2);
    expect(house.endedSockets).toHaveLength(2);
    expect((await house.perform(accounts.verify, {}, alice.token)).status).toBe(401);
    expect((await house.perform(members.endSessions, { memberId: alice.memberId }, boss.token)).body.ended).toBe(0);
  });

  it('become administrators by the operator alone, in process or over the control socket alone', async () => {
    await using house = await openHouse(engine);
    const input = { username: 'first', email: 'first@example.org', password: 'a strong beginning' };
    const token = await house.operatorToken();
    const made = await house.perform(members.createAdministrator, input, token, { trusted: true });
    expect(made).toMatchObject({
      status: 201,
      body: { data: { memberId: expect.any(String), mnemonic: expect.any(String) } },
    });
    expect(made.body.data).not.toHaveProperty('token');
    const { data } = (await house.perform(accounts.login, input)).body;
    const { user } = (await house.perform(accounts.verify, {}, data.token)).body;
    expect(user).toMatchObject({
      rolePrivileges: { admin: true },
      roles: [{ name: 'Admin', createdBy: operatorId, updatedBy: operatorId }],
    });

    const second = { username: 'second', email: 'second@example.org', password: 'a strong beginning' };
    expect((await house.perform(members.createAdministrator, second, data.token, { trusted: true })).status).toBe(403);
    expect((await house.perform(members.createAdministrator, second, undefined, { trusted: true })).status).toBe(401);
    // Over TCP there is no such operation.
    for (const bearer of [token, data.token])
      expect((await house.perform(members.createAdministrator, second, bearer)).status).toBe(405);
    expect(
      (await house.perform(members.createAdministrator, { ...second, username: 'FIRST' }, token, { trusted: true }))
        .body.error,
    ).toBe('USERNAME_TAKEN');
  });
});

describe.each(engines)('the last administrator on %s', (engine) => {
  it('can be neither demoted nor suspended, by themselves or by the operator', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    await house.register();
    for (const operation of [members.demote, members.suspend]) {
      const answer = await house.perform(operation, { memberId: boss.memberId }, boss.token);
      expect(answer).toMatchObject({ status: 409, body: { error: 'LAST_ADMINISTRATOR' } });
      const operator = await house.perform(operation, { memberId: boss.memberId }, await house.operatorToken(), {
        trusted: true,
      });
      expect(operator.status).toBe(409);
    }
    expect((await house.perform(accounts.verify, {}, boss.token)).body.user.rolePrivileges.admin).toBe(true);
  });

  it('is counted among the active ones', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    const second = await house.administrator();
    expect((await house.perform(members.suspend, { memberId: second.memberId }, boss.token)).status).toBe(200);
    expect((await house.perform(members.demote, { memberId: boss.memberId }, boss.token)).status).toBe(409);
    // A suspended one counts for nothing, so to demote them takes nothing away.
    expect((await house.perform(members.demote, { memberId: second.memberId }, boss.token)).status).toBe(200);
  });

  it('may step down when there is another', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    await house.administrator();
    expect((await house.perform(members.demote, { memberId: boss.memberId }, boss.token)).status).toBe(200);
    expect((await house.perform(members.list, {}, boss.token)).status).toBe(403);
  });

  it('remains when all demote and suspend each other at the same time', async () => {
    await using house = await openHouse(engine);
    const all = [
      await house.administrator(),
      await house.administrator(),
      await house.administrator(),
      await house.administrator(),
    ];
    const token = await house.operatorToken();
    const answers = await Promise.all(
      all.flatMap(({ memberId }) =>
        [members.demote, members.suspend].map((operation) =>
          house.perform(operation, { memberId }, token, { trusted: true }),
        ),
      ),
    );
    expect(answers.filter((answer) => answer.status !== 200 && answer.status !== 409)).toEqual([]);
    const left = await house.ctx.db
      .selectFrom('members')
      .select('id')
      .where('type', '=', 'Admin')
      .where('status', '=', 'active')
      .execute();
    expect(left).toHaveLength(1);
  });
});
