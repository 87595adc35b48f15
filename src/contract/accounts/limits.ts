/** Rate limits for sign-in and registration; see contract/rates.ts. */
export const accountRates = {
  signIn: {
    key: 'sign_in',
    perAccount: { rate: '10/15m', text: 'Wrong passwords, phrases and codes for one account' },
    perAddress: { rate: '30/15m', text: 'Sign-ins and recoveries from one address' },
  },
  registration: {
    key: 'registration',
    perAddress: { rate: '10/1h', text: 'Registrations from one address' },
  },
  // The same numbers as reads and sign-ins: programs that keep a copy ask often, and one with an old password repeats it for days.
  bridge: {
    key: 'bridge',
    perAccount: { rate: '3000/5m', text: 'Requests of one member with app passwords' },
    perAddress: { rate: '10/15m', text: 'Wrong tries of each app password from one address' },
  },
} as const;

/** In characters. */
export const passwordLimits = { min: 8, max: 256 } as const;

export const appPasswordLimits = {
  /** in characters */
  name: 100,
  /** app passwords of one member that have not expired */
  most: 100,
} as const;
