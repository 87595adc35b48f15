import type { PayloadOf } from '../../../../contract/quorum/actions.ts';
import type { Action } from '../action.ts';

/** A decision about something that the node knows nothing of: it is recorded. */
export const custom: Action<PayloadOf<'CUSTOM'>> = {
  routine: true,
  check: async () => undefined,
  execute: async () => ({ changed: [] }),
};
