/** Rate limits for unlocking vaults; see contract/rates.ts. */
export const passvaultRates = {
  vaultOpening: {
    key: 'vault_opening',
    perAccount: { rate: '10/15m', text: 'Wrong passwords of one member for one vault' },
    perAddress: { rate: 'off', text: 'Attempts to open vaults from one address' },
  },
} as const;

/** Limits of a vault and its entries; lengths are in characters. */
export const passvaultLimits = {
  title: 1_000,
  /** user names, passwords, names of fields */
  short: 10_000,
  /** notes and values of fields */
  long: 500_000,
  url: 8_000,
  urls: 100,
  tag: 200,
  tags: 100,
  customFields: 500,
  /** earlier passwords */
  passwordHistory: 100,
  query: 1_000,
  attachmentBytes: 25 * 1024 ** 2,
  importBytes: 50 * 1024 ** 2,
  importRecords: 50_000,
} as const;
