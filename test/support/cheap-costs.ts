import type { Config } from '../../src/config/config.ts';

/** What passwords cost at least is the configuration's business, half a second each, and that of its tests. */
export function cheapCosts(config: Config): Pick<Config, 'passwords' | 'vaults'> {
  return {
    passwords: { memoryKib: 256, passes: 1, lanes: 1, pbkdf2Iterations: 100_000 },
    // bcrypt takes no fewer rounds.
    vaults: { ...config.vaults, bcryptRounds: 4 },
  };
}
