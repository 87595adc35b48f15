import { perform, type Caller } from '../../../client/perform.ts';
import { social } from '../../../contract/social.ts';
import { expiryOf } from '../../kit/expiry.ts';
import { asListed, type ListedSocial } from './own-conversations.ts';

/** The mute that somebody has to end. */
const PERMANENT = 'permanent';

interface Chosen {
  readonly mute?: string | undefined;
  readonly unmute: boolean;
  readonly pin?: boolean | undefined;
  readonly archive?: boolean | undefined;
}

/** Stores what the flags choose for a conversation. @returns it with what holds then @throws Problem invalid USAGE before anything is stored, and as `perform` does */
export async function storeSettings(
  caller: Caller,
  id: string,
  { mute, unmute, pin, archive }: Chosen,
  nowMs: number,
): Promise<ListedSocial> {
  const expiresAt = mute === undefined || mute === PERMANENT ? undefined : expiryOf(mute, nowMs, '--mute');
  if (mute !== undefined)
    await perform(caller, social.muteConversation, { id, ...(expiresAt !== undefined && { expiresAt }) });
  if (unmute) await perform(caller, social.unmuteConversation, { id });
  if (pin !== undefined) await perform(caller, pin ? social.pinConversation : social.unpinConversation, { id });
  if (archive !== undefined)
    await perform(caller, archive ? social.archiveConversation : social.unarchiveConversation, { id });
  return asListed(await perform(caller, social.showConversation, { id }));
}
