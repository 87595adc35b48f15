/** Rate limits of opening vaults; see contract/rates.ts. */
export const passvaultRates = {
  vaultOpening: {
    key: 'vault_opening',
    perAccount: { rate: '10/15m', text: 'Wrong passwords of one member for one vault' },
    perAddress: { rate: 'off', text: 'Attempts to open vaults from one address' },
  },
} as const;
