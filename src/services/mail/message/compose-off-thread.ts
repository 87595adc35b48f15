import type { Offload } from '../../../service/ports/workers.ts';
import { composeMessage, type MessageFields } from './compose.ts';
import { composeTask } from './compose-task.ts';
import type { Piece } from './segments.ts';

/** Usual texts are shorter, and composed in a few milliseconds. */
const INLINE_CHARACTERS = 128 * 1024;

/** As `composeMessage`, but in a thread if the texts are long. @throws Problem unavailable OVERLOADED */
export async function composeOffThread(
  offload: Offload,
  fields: MessageFields,
): Promise<{ readonly pieces: readonly Piece[] }> {
  const length = (fields.textBody?.length ?? 0) + (fields.htmlBody?.length ?? 0);
  return length > INLINE_CHARACTERS ? await offload.run(composeTask, fields) : await composeMessage(fields);
}
