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
} as const;

/** In characters. */
export const passwordLimits = { min: 8, max: 256 } as const;
