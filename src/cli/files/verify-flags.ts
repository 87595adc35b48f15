import { Flags } from '@oclif/core';

/** What a proof is compared with. */
export const verifyFlags = {
  'node-key': Flags.string({
    aliases: ['key'],
    description: 'log key that must have signed; see conclave ledger head',
    helpValue: 'KEY',
  }),
  'witness-policy': Flags.string({
    description: 'witnesses that must have cosigned, in the format c2sp.org/tlog-policy',
    helpValue: 'FILE',
  }),
  checkpoint: Flags.string({ description: 'checkpoint of the same log that you kept', helpValue: 'FILE' }),
  entries: Flags.string({
    description: 'entries of the ledger, one a line, or the address of a server that has them',
    helpValue: 'FILE|URL',
  }),
  receipt: Flags.string({
    description: 'X-Access-Receipt of a download of the file, or a file with it',
    helpValue: 'RECEIPT',
  }),
};
