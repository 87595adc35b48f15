import type { Work } from '../../../service/ports/task.ts';
import { composeMessage, type MessageFields } from './compose.ts';
import type { Piece } from './segments.ts';

export const composeWork: Work<MessageFields, { readonly pieces: readonly Piece[] }> = async (fields) =>
  await composeMessage(fields);
