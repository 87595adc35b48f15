import type { ledger } from '../../contract/ledger.ts';
import { lazily } from '../../service/service-parts.ts';

export const ledgerImplementation = lazily<typeof ledger>({
  head: () => import('./public.ts'),
  checkpoint: () => import('./public.ts'),
  entries: () => import('./public.ts'),
  inclusion: () => import('./public.ts'),
  consistency: () => import('./public.ts'),
  verify: () => import('./verify-ledger.ts'),
  recovery: () => import('./witness/recover.ts'),
  recover: () => import('./witness/recover.ts'),
});
