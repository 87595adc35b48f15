import type { Guest } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { isNewDevice } from '../../shared/members/known-devices.ts';
import { notify } from '../../shared/notifications/notify.ts';

/**
 * What members are told of the security of their account, in the transaction of what happened. It names nobody as its cause: whoever did it
 * may be somebody else, and the member has to hear of it in either case.
 */
async function tell(tx: Context, recipientId: string, content: string): Promise<void> {
  await notify(tx, { recipientId, type: 'security_alert', content });
}

type Change = 'changed' | 'reset by a backup code' | 'reset by the recovery phrase';

export async function noticePassword(tx: Context, memberId: string, change: Change): Promise<void> {
  await tell(tx, memberId, `Your password was ${change}. If that was not you, recover your account.`);
}

/** Tells of a sign-in on a device that is not known of the member. To be called before the sign-in is stored. */
export async function noticeDevice(tx: Context, memberId: string, guest: Guest): Promise<void> {
  if (!(await isNewDevice(tx, memberId, guest))) return;
  const sentence = `Somebody signed in to your account from a new device: ${shownAgent(guest.userAgent)}.`;
  await tell(tx, memberId, `${sentence} If that was not you, change your password.`);
}

export async function noticeAppPassword(tx: Context, memberId: string, name: string): Promise<void> {
  const sentence = `An app password was made for your account: ${shownAgent(name)}.`;
  await tell(tx, memberId, `${sentence} If that was not you, change your password and remove it.`);
}

const LONGEST_AGENT = 80;

/** Whoever signs in chooses the text, so it can neither steer a terminal nor end its quotation. */
function shownAgent(userAgent: string): string {
  const text = userAgent
    .replaceAll(/[^ -~]|"/g, '?')
    .replaceAll(/ +/g, ' ')
    .trim();
  if (text === '') return 'a program without a name';
  return text.length > LONGEST_AGENT ? `"${text.slice(0, LONGEST_AGENT - 1)}…"` : `"${text}"`;
}
