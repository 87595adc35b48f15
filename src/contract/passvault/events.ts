import * as v from 'valibot';
import { event, eventTopic } from '../event.ts';
import { vaultId, vaultNotice } from './entry.ts';

/** What concerns the vaults of one member. */
export const vaultsTopic = eventTopic({
  kind: 'vaults',
  parts: { memberId: 'id of the member whose vaults they are' },
  summary: 'The vaults of a member',
  description: 'The member alone hears it.',
});

export const passvaultEvents = {
  notice: event({
    name: 'vault:notice',
    topic: vaultsTopic,
    replayable: true,
    summary: 'Something that the owner of a vault has to know',
    description:
      'Such as a request to recover it, which can be denied until `endsAt`. The same stands among the `notices` of the vault.',
    data: v.object({ vaultId, notice: vaultNotice }),
  }),
};
