import * as v from 'valibot';
import { integer } from '../text.ts';
import { chatLimits } from './limits.ts';

/** What holds for what is said in a conversation, and its owner decides. */

const { slowSeconds } = chatLimits;

/** What somebody decides. */
export const slowModeChange = v.pipe(
  integer(0, slowSeconds),
  v.description(
    `how long members below moderators wait from one message to the next, at most ${slowSeconds / 3600} hours; 0: they do not`,
  ),
);

/** What holds. */
export const slowModeSeconds = v.pipe(
  v.number(),
  v.description('how long members below moderators wait from one message to the next; 0: they do not'),
);

const { least, most } = chatLimits.retentionMs;

/** What somebody decides. */
export const retentionChange = v.pipe(
  v.nullable(integer(least, most)),
  v.description(
    'how long messages are kept, in milliseconds: from an hour to ten years; null: as long as the conversation',
  ),
);

/** What holds. */
export const retentionMs = v.pipe(
  v.nullable(v.number()),
  v.description(
    'how long messages are kept: what was decided for the conversation, or what the node keeps if that is shorter; null: as long as the conversation',
  ),
);
