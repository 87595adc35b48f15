import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { variableOf } from '../../src/config/options.ts';
import { assertRounds } from '../../src/crypto/master-password.ts';
import { assertArgon2Parameters } from '../../src/crypto/password.ts';
import { assertIterations } from '../../src/crypto/wrap.ts';
import { settings } from '../../src/config/services.ts';

/** The least and the greatest value, in the option's own words. */
function extremes({ kind, key }: { kind: { parse(raw: unknown): unknown }; key: string }): [number, number] {
  let said = '';
  try {
    kind.parse('-1');
  } catch (error) {
    said = String(error);
  }
  const [, least, most] = /from (\d+) to (\d+)/.exec(said) ?? [];
  if (least === undefined || most === undefined) throw new Error(`${key} says nothing of its bounds: ${said}`);
  return [Number(least), Number(most)];
}

async function configOf(values: Readonly<Record<string, number>>) {
  const env = Object.fromEntries(Object.entries(values).map(([key, value]) => [variableOf(key), String(value)]));
  return (await loadConfig({ flags: { 'data-dir': '/nowhere' }, env, home: '/nowhere', cwd: '/' })).config;
}

/** A sign-in refused by cryptography is a configuration that was accepted and locks everybody out. */
describe('costs that configuration accepts', () => {
  it('of Argon2id are computed, whatever extremes come together', async () => {
    for (const memory of extremes(settings.passwords.memoryKib))
      for (const passes of extremes(settings.passwords.passes))
        for (const lanes of extremes(settings.passwords.lanes)) {
          const { passwords } = await configOf({
            'passwords.memory_kib': memory,
            'passwords.passes': passes,
            'passwords.lanes': lanes,
          });
          assertArgon2Parameters({ ...passwords, memoryKiB: passwords.memoryKib });
        }
  });

  it('of PBKDF2 are computed', async () => {
    for (const iterations of extremes(settings.passwords.pbkdf2Iterations)) {
      const { passwords } = await configOf({ 'passwords.pbkdf2_iterations': iterations });
      assertIterations(passwords.pbkdf2Iterations);
    }
  });

  it('of bcrypt are computed', async () => {
    for (const rounds of extremes(settings.vaults.bcryptRounds)) {
      const { vaults } = await configOf({ 'vaults.bcrypt_rounds': rounds });
      assertRounds(vaults.bcryptRounds);
    }
  });

  it('end where cryptography does, so that nobody raises them in one place alone', () => {
    const [[, memory], [, passes], [, lanes]] = [
      extremes(settings.passwords.memoryKib),
      extremes(settings.passwords.passes),
      extremes(settings.passwords.lanes),
    ];
    const most = { memoryKiB: memory, passes, lanes };
    for (const more of [{ memoryKiB: memory + 1 }, { passes: passes + 1 }, { lanes: lanes + 1 }])
      expect(() => assertArgon2Parameters({ ...most, ...more })).toThrow('Argon2');
    expect(() => assertIterations(extremes(settings.passwords.pbkdf2Iterations)[1] + 1)).toThrow('PBKDF2');
  });
});
