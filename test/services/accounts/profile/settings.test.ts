import { describe, expect, it } from 'vitest';
import { accounts } from '../../../../src/contract/accounts.ts';
import { openHouse } from '../../../support/house.ts';
import { engines } from '../../../support/stores.ts';

describe.each(engines)('settings on %s', (engine) => {
  it('begin with the defaults', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const answer = await house.perform(accounts.settings, {}, alice.token);
    expect(answer).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    expect(answer.body.settings).toEqual({
      email: alice.email,
      timezone: 'UTC',
      currency: 'USD',
      siteLanguage: 'en',
      darkMode: false,
      directChallenge: false,
    });
  });

  it('change where they are given, and stay where they are not', async () => {
    await using house = await openHouse(engine);
    const [alice, bob] = [await house.register(), await house.register()];
    await house.perform(accounts.updateSettings, { darkMode: true, timezone: 'Asia/Kolkata' }, alice.token);
    const answer = await house.perform(
      accounts.updateSettings,
      { currency: 'eur', siteLanguage: 'pt-br', directChallenge: true },
      alice.token,
    );
    const expected = {
      timezone: 'Asia/Kolkata',
      currency: 'EUR',
      siteLanguage: 'pt-BR',
      darkMode: true,
      directChallenge: true,
    };
    expect(answer).toMatchObject({ status: 200, body: { user: { id: alice.memberId, ...expected } } });
    expect((await house.perform(accounts.settings, {}, alice.token)).body.settings).toEqual({
      email: alice.email,
      ...expected,
    });
    expect((await house.perform(accounts.updateSettings, {}, alice.token)).body.user).toMatchObject(expected);
    expect((await house.perform(accounts.settings, {}, bob.token)).body.settings).toMatchObject({
      currency: 'USD',
      darkMode: false,
    });
  });

  it('spell what they take in the way of the standard', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    for (const [input, kept] of [
      [{ timezone: 'europe/berlin' }, { timezone: 'Europe/Berlin' }],
      [{ timezone: 'utc' }, { timezone: 'UTC' }],
      [{ siteLanguage: 'ZH-hant-tw' }, { siteLanguage: 'zh-Hant-TW' }],
      [{ currency: 'jpy' }, { currency: 'JPY' }],
      [{ darkMode: false }, { darkMode: false }],
    ] as const) {
      expect((await house.perform(accounts.updateSettings, input, alice.token)).body.user).toMatchObject(kept);
    }
  });

  it('refuse values that no standard knows, naming each, and then change nothing', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    for (const input of [
      { timezone: 'Mars/Olympus' },
      { timezone: '+01:00' },
      { timezone: '' },
      { siteLanguage: 'not a language' },
      { siteLanguage: 'x' },
      { currency: 'XXQ' },
      { currency: 'EURO' },
      { darkMode: 'yes' },
      { directChallenge: 1 },
      { timezone: ['UTC'] },
      { siteLanguage: null },
    ]) {
      const answer = await house.api('POST', '/api/user/settings', {
        token: alice.token,
        body: { ...input, darkMode: 'darkMode' in input ? input.darkMode : true },
      });
      expect([input, answer.status, answer.body.error]).toEqual([input, 400, 'VALIDATION_ERROR']);
      expect(answer.body.errors.map((error: { path: string }) => error.path)).toEqual([Object.keys(input)[0]]);
    }
    const wrong = await house.perform(accounts.updateSettings, { timezone: 'Nowhere', currency: 'ZZZ' }, alice.token);
    expect(wrong.body.errors).toHaveLength(2);
    expect((await house.perform(accounts.settings, {}, alice.token)).body.settings.darkMode).toBe(false);
  });
});
