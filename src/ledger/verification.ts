import { requireRole } from '../actor.ts';
import type { ledger } from '../contract/ledger.ts';
import type { Implementation } from '../service-parts.ts';
import { verifyLedger } from './verify-ledger.ts';

export const verify: Implementation<typeof ledger>['verify'] = async (ctx, actor, { full }) => {
  requireRole(actor, { all: ['admin', 'system'] });
  const { checks, faults, ...report } = await verifyLedger(ctx, { full });
  for (const { index, what } of faults) ctx.log.error('the ledger is damaged', { index, what });
  return { ...report, checks: [...checks], faults: [...faults] };
};
