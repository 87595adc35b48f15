import type { Context } from '../../service/context.ts';
import type { Envelope } from '../../contract/chat/client-mode.ts';
import { fieldProblem } from '../../base/problem.ts';
import type { ConversationMessageRow } from '../../platform/store/tables/conversations.ts';
import type { SealedAttachment } from './attachments/attachment.ts';
import { sealFiles } from './attachments/client-files.ts';
import { refuseText, takeEnvelope } from './client-mode.ts';
import { isClientMode, type Seat } from './conversation.ts';
import { indexMessage } from './indexing.ts';
import { mentionedBy, mentionedIn, type Mentioned } from './mentions.ts';
import type { SealedText } from './sealed.ts';
import { sealEdited, sealUnderCurrent } from './sealing.ts';
import { rulesOf } from './types.ts';

type Place = Pick<ConversationMessageRow, 'id' | 'sender_id' | 'client_id'>;

/** A text as its row has it. */
type StoredText = SealedText & Pick<ConversationMessageRow, 'signature' | 'files'>;

interface Stored<Text = StoredText> {
  readonly text: Text;
  /** puts its words into the index; missing if nobody but members can read them */
  readonly index?: (row: ConversationMessageRow) => Promise<void>;
}

/** What somebody says, in the way of the conversation: the node seals it, or their client did. */
interface Saying {
  mentioned(tx: Context, seat: Seat, senderId: string): Promise<Mentioned>;
  sealed(tx: Context, seat: Seat, place: Place, beside: Beside): Promise<Stored>;
  edited(tx: Context, seat: Seat, row: Place & SealedText): Promise<Stored<Omit<StoredText, 'files'>>>;
}

/** What is sealed with a text. */
interface Beside {
  readonly files: readonly SealedAttachment[];
  readonly webhook: string | undefined;
  readonly via: string | undefined;
}

interface Given {
  readonly content?: string | undefined;
  readonly envelope?: Envelope | undefined;
}

/** @throws Problem invalid VALIDATION_ERROR, CLIENT_ENCRYPTED for what the conversation does not take */
export function saidWith(seat: Seat, { content, envelope }: Given): Saying {
  if (isClientMode(seat)) {
    if (content !== undefined) refuseText();
    if (envelope === undefined) throw fieldProblem('envelope', 'is required in mode client');
    return byClient(envelope);
  }
  if (envelope !== undefined) throw fieldProblem('envelope', 'is only for conversations in mode client');
  if (content === undefined) throw fieldProblem('content', 'is required');
  assertFits(seat, content);
  return inClear(content);
}

/** What the contract allows is for the longest. */
function assertFits(seat: Seat, content: string): void {
  const { text } = rulesOf(seat);
  if (content.length > text && Array.from(content).length > text)
    throw fieldProblem('content', `must be at most ${text} characters`);
}

function inClear(content: string): Saying {
  return {
    mentioned: async (tx, seat, senderId) => await mentionedIn(tx, seat, senderId, content),
    async sealed(tx, seat, place, { files, webhook, via }) {
      const attachments = files.length > 0 && { attachments: files };
      const program = { ...(webhook !== undefined && { webhook }), ...(via !== undefined && { via }) };
      const saying = { content, ...attachments, ...program };
      const { text, said, space } = await sealUnderCurrent(tx, seat, place, saying);
      return {
        text: { ...text, signature: null, files: null },
        index: async (row) => await indexMessage(tx, space, row, said),
      };
    },
    async edited(tx, seat, row) {
      const { text, said, space } = await sealEdited(tx, seat, row, content);
      return { text: { ...text, signature: null }, index: async (now) => await indexMessage(tx, space, now, said) };
    },
  };
}

function byClient(envelope: Envelope): Saying {
  return {
    mentioned: async (tx, seat, senderId) => await mentionedBy(tx, seat, senderId, envelope.mentions),
    async sealed(tx, seat, { id, sender_id: senderId, client_id: clientId }, { files }) {
      const text = await takeEnvelope(tx, seat, { senderId, clientId }, envelope, 0);
      return { text: { ...text, files: sealFiles(tx, id, files) } };
    },
    async edited(tx, seat, { sender_id: senderId, client_id: clientId, revision }) {
      return { text: await takeEnvelope(tx, seat, { senderId, clientId }, envelope, revision + 1) };
    },
  };
}
