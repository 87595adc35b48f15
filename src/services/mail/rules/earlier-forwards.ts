import type { Context } from '../../../service/context.ts';
import { earlierGrantsHandler } from '../../../shared/notifications/earlier-grants.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { recordTime } from '../../../platform/store/record-id.ts';
import { shownAddress } from '../message/address.ts';
import { isForwarding, readRules } from './rules.ts';

/** Rules that forward and that members stored while app passwords could. All rules of a member are stored together. */
export function earlierForwardsHandler(ctx: Context): JobHandler {
  return earlierGrantsHandler(ctx, {
    scope: 'mail',
    could: 'make rules that forward mail',
    advice: 'Remove those that you do not know, and the app password.',
    async *list(tx, memberId, since, until) {
      const rules = await readRules(tx, memberId);
      yield rules
        .filter((rule) => isForwarding(rule) && recordTime(rule.id) >= since && recordTime(rule.id) <= until)
        .map(({ id, actions }) => `rule ${id} to ${(actions.forwardTo ?? []).map(shownAddress).join(', ')}`);
    },
  });
}
