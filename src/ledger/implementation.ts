import type { ledger } from '../contract/ledger.ts';
import type { Implementation } from '../service-parts.ts';

/** Loaded when somebody asks: most commands, and the start of a server, don't. */
export const ledgerServices: Implementation<typeof ledger> = {
  head: async (...call) => await (await import('./public.ts')).head(...call),
  checkpoint: async (...call) => await (await import('./public.ts')).checkpoint(...call),
  entries: async (...call) => await (await import('./public.ts')).entries(...call),
  inclusion: async (...call) => await (await import('./public.ts')).inclusion(...call),
  consistency: async (...call) => await (await import('./public.ts')).consistency(...call),
  verify: async (...call) => await (await import('./verification.ts')).verify(...call),
};
