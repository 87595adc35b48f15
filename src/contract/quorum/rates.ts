/** Rate limits of the quorum; see contract/rates.ts. */
export const quorumRates = {
  quorumSealing: {
    key: 'quorum_sealing',
    perAccount: { rate: '120/5m', text: 'Documents that one member seals' },
  },
  quorumUnsealing: {
    key: 'quorum_unsealing',
    perAccount: { rate: '60/15m', text: 'Attempts of one member to unseal with mnemonics' },
    perAddress: { rate: '600/15m', text: 'Attempts to unseal with mnemonics from one address' },
  },
  quorumVerifying: {
    key: 'quorum_verifying',
    perAccount: { rate: '60/5m', text: 'Verifications of the audit trail that one member asks for' },
  },
} as const;
