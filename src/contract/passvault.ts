import { emergency } from './passvault/emergency.ts';
import { entries } from './passvault/entries.ts';
import { sharing } from './passvault/sharing.ts';
import { tools } from './passvault/tools.ts';
import { transfer } from './passvault/transfer.ts';
import { vaults } from './passvault/vaults.ts';

/** Password vaults, prefix `/api/passvault`. */
export const passvault = { ...vaults, ...entries, ...sharing, ...emergency, ...tools, ...transfer };
