/**
 * The most of each that is ever computed: parameters are read from stored rows and messages, where a damaged byte must not ask for
 * all the memory or an hour. Configuration offers no more than this, since what it sets is read from rows later.
 */
export const mostArgon2 = { memoryKiB: 2 ** 21, passes: 64, lanes: 16 } as const;

/** Rounds of bcrypt: each one more takes twice as long, and 18 take about 15 seconds. */
export const mostBcryptRounds = 18;

/** PBKDF2 between a password's stretched half and the wrapped key: the account document's least; the most takes less than a second. */
export const wrapIterations = { min: 100_000, max: 2_000_000 } as const;
