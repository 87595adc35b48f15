/**
 * Upper limits of the cost parameters. The parameters are read from stored rows and messages, and a damaged byte there must not use all
 * memory or run for an hour. Configuration has the same limits, because its values are stored in rows and read again later.
 */
export const mostArgon2 = { memoryKiB: 2 ** 21, passes: 64, lanes: 16 } as const;

/** Rounds of bcrypt: each further round doubles the time, and 18 rounds take about 15 seconds. */
export const mostBcryptRounds = 18;

/** Iterations of PBKDF2 for wrapping a key. The minimum is from the account document; the maximum takes less than a second. */
export const wrapIterations = { min: 100_000, max: 2_000_000 } as const;
