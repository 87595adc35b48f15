import * as v from 'valibot';
import { event, eventTopic } from '../event.ts';
import { vaultId, vaultNotice } from './entry.ts';

/** Events about the vaults of one member. */
export const vaultsTopic = eventTopic({
  kind: 'vaults',
  parts: { memberId: 'id of the member' },
  summary: 'The vaults of a member',
  description: 'Only the member can subscribe.',
});

export const passvaultEvents = {
  notice: event({
    name: 'vault:notice',
    topic: vaultsTopic,
    replayable: true,
    summary: 'Notice for the owner of a vault',
    description:
      'For example a recovery request, which the owner can deny until `endsAt`. The `notices` of the vault have it as well.',
    data: v.object({ vaultId, notice: vaultNotice }),
  }),
};
