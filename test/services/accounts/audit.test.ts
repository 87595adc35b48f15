import { describe, expect, it } from 'vitest';
import { operatorId } from '../../../src/service/actor.ts';
import { accounts } from '../../../src/contract/accounts.ts';
import { members } from '../../../src/contract/accounts/members.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

function audited(house: House) {
  return house.log.lines
    .filter((line) => line['message'] === 'audit')
    .map(({ level: _level, time: _time, message: _message, requestId: _request, ...rest }) => rest);
}

describe.each(engines)('the audit log on %s', (engine) => {
  it('names actor, action and target of what bears on security, by ids alone', async () => {
    await using house = await openHouse(engine);
    const ofBoss = { username: 'the-boss', email: 'boss@example.org', password: 'a strong beginning' };
    const made = await house.perform(members.createAdministrator, ofBoss, await house.operatorToken(), {
      trusted: true,
    });
    const boss = { ...made.body.data, token: (await house.perform(accounts.login, ofBoss)).body.data.token };
    const ofAlice = { username: 'alice', email: 'alice@example.org', password: 'a strong beginning' };
    const alice = { ...ofAlice, ...(await house.perform(accounts.register, ofAlice)).body.data };
    const { memberId } = alice;
    await house.perform(accounts.login, { username: alice.username, password: 'not the right one' });
    await house.perform(accounts.login, { username: 'nobody-there', password: 'not the right one' });
    await house.perform(members.promote, { memberId }, boss.token);
    await house.perform(members.suspend, { memberId }, boss.token);
    await house.perform(members.restore, { memberId }, await house.operatorToken(), { trusted: true });
    expect(audited(house)).toEqual([
      { actor: operatorId, action: 'members.create-administrator', target: boss.memberId },
      { actor: 'guest', action: 'account.login', target: boss.memberId },
      { actor: 'guest', action: 'account.register', target: memberId },
      { actor: 'guest', action: 'account.login-failed', target: memberId },
      { actor: 'guest', action: 'account.login-failed' },
      { actor: boss.memberId, action: 'members.promote', target: memberId },
      { actor: boss.memberId, action: 'members.suspend', target: memberId },
      { actor: operatorId, action: 'members.restore', target: memberId },
    ]);
    const written = JSON.stringify(house.log.lines);
    for (const personal of [
      alice.username,
      alice.email,
      alice.password,
      alice.token,
      alice.mnemonic,
      'nobody-there',
      'not the right one',
    ]) {
      expect(written).not.toContain(personal);
    }
  });

  it('says nothing of what did not happen', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    const before = audited(house).length;
    await house.perform(members.demote, { memberId: boss.memberId }, boss.token);
    await house.perform(members.suspend, { memberId: 'f'.repeat(24) }, boss.token);
    await house.perform(accounts.endSession, { id: 'f'.repeat(32) }, boss.token);
    expect(audited(house)).toHaveLength(before);
  });
});
