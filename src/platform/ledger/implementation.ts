import { ledger } from '../../contract/ledger.ts';
import { implement } from '../../service/implement.ts';

export const ledgerImplementation = implement(
  ledger,
  () => import('./public.ts'),
  () => import('./verify-ledger.ts'),
  () => import('./witness/recover.ts'),
);
