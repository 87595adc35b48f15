import type { NoticeLevel, OwnSettings } from '../../contract/chat/conversation.ts';
import { Problem } from '../../base/problem.ts';
import { expiryOf } from '../kit/expiry.ts';

interface Chosen {
  readonly notify?: string | undefined;
  readonly mute?: string | undefined;
  readonly unmute: boolean;
  readonly pin?: boolean | undefined;
  readonly archive?: boolean | undefined;
}

/** What the flags change. @throws Problem invalid USAGE */
export function chosenSettings({ notify, mute, unmute, pin, archive }: Chosen, nowMs: number): Partial<OwnSettings> {
  return {
    ...(notify !== undefined && { notifications: notify as NoticeLevel }),
    ...(mute !== undefined && { mutedUntil: muteEnd(mute, nowMs) }),
    ...(unmute && { mutedUntil: null }),
    ...(pin !== undefined && { pinned: pin }),
    ...(archive !== undefined && { archived: archive }),
  };
}

function muteEnd(text: string, nowMs: number): string {
  const until = expiryOf(text, nowMs, '--mute');
  if (until !== undefined) return until;
  throw new Problem('invalid', 'USAGE', 'A mute ends. To have no notifications of a conversation, use: --notify none');
}
