import { perform, type Caller } from '../../../client/perform.ts';
import type { MessageRequest } from '../../../contract/social/message.ts';
import { social } from '../../../contract/social.ts';
import { Problem } from '../../../base/problem.ts';
import { idFrom } from '../../kit/id-part.ts';
import { moment } from '../../kit/screen.ts';
import type { Column } from '../../kit/table.ts';
import { waitingRequests } from './own-conversations.ts';

export const requestColumns: readonly Column<MessageRequest>[] = [
  { title: 'FROM', of: ({ senderUsername, senderId }) => senderUsername || senderId, whole: true },
  { title: 'SENT', of: ({ createdAt }, screen) => moment(screen, createdAt), whole: true },
  { title: 'STATUS', of: ({ status }) => status, whole: true },
  { title: 'MESSAGE', of: ({ messagePreview }) => messagePreview ?? '-', main: true, prose: true },
  { title: 'ID', of: (request) => request['_id'], whole: true, spare: true },
];

/** The id of a message request that waits, from it, its first digits, or who sent it. @throws Problem missing MESSAGE_REQUEST_NOT_FOUND; conflict AMBIGUOUS */
async function requestNamed(caller: Caller, text: string): Promise<string> {
  const all = await waitingRequests(caller);
  const name = text.toLowerCase();
  const sent = all.find(({ senderId, senderUsername }) => [senderId, senderUsername.toLowerCase()].includes(name));
  if (sent !== undefined) return sent['_id'];
  const message = `You have no message request of ${JSON.stringify(text)} that waits. To list those that do, run: conclave social message requests`;
  return await idFrom(
    text,
    async () => all.map((one) => ({ id: one['_id'], label: one.senderUsername })),
    () => new Problem('missing', 'MESSAGE_REQUEST_NOT_FOUND', message),
  );
}

const decisions = { accept: social.acceptMessageRequest, decline: social.declineMessageRequest };

/** Accepts or declines a request. @throws Problem as `requestNamed` and `perform` do */
export async function decide(caller: Caller, text: string, decision: keyof typeof decisions): Promise<MessageRequest> {
  return (await perform(caller, decisions[decision], { id: await requestNamed(caller, text) })).request;
}
